import { log } from "../_shared/runtime/log.ts";
import type { AttemptResult } from "./attempt_delivery.ts";
import type { ClaimedDelivery } from "./queue.ts";

/** The lines for failures that this process writes in `WINDOW_MS` at most: Supabase drops more than 100 in 10 s. */
const MAX_LINES = 50;
const WINDOW_MS = 10_000;

let windowStart = -Infinity;
let linesInWindow = 0;

/** Counts what a run does, and logs it: a line for each failure as it happens, one line for the whole run at its end. */
export class RunLog {
  readonly #started = performance.now();
  readonly #counts = {
    /** Attempts that succeeded. */
    delivered: 0,
    /** Attempts that failed and will be followed by another. */
    retried: 0,
    /** Deliveries whose last attempt failed. */
    failed: 0,
    /** Subscriptions that such a delivery made inactive. */
    deactivated: 0,
    /** Outcomes that were not recorded, because another dispatcher had claimed the delivery since. */
    superseded: 0,
    /** Attempts that a fault of the service prevented or left without a record; they will be repeated. */
    abandoned: 0,
    /** Failures without a line of their own. */
    unlogged: 0,
  };
  #claimed = 0;

  addClaimed(count: number): void {
    this.#claimed += count;
  }

  /** Counts what became of one delivery, and logs it unless it succeeded. */
  addResult(delivery: ClaimedDelivery, result: AttemptResult): void {
    const counts = this.#counts;
    const { workspace_id, subscription_id, delivery_id, event } = delivery;
    const names = { workspace_id, subscription_id, delivery_id, webhook_event: event };
    if ("error" in result) {
      counts.abandoned++;
      this.#logFailure("webhook_attempt_abandoned", { ...names, error: result.error });
      return;
    }
    const { outcome, recorded, ms } = result;
    if (recorded.attempt === null) counts.superseded++;
    else if (outcome.ok) counts.delivered++;
    else if (recorded.state === "failed") counts.failed++;
    else counts.retried++;
    if (recorded.deactivated) counts.deactivated++;
    if (!outcome.ok) this.#logFailure("webhook_attempt_failed", { ...names, ...outcome, ...recorded, ms });
  }

  /** Logs the run, unless it has claimed nothing: most pokes find that another run has done the work. */
  logRun(): void {
    if (this.#claimed === 0) return;
    const ms = Math.round(performance.now() - this.#started);
    log("webhook_run", { claimed: this.#claimed, ...this.#counts, ms });
  }

  #logFailure(...line: Parameters<typeof log>): void {
    const now = performance.now();
    if (now - windowStart >= WINDOW_MS) {
      windowStart = now;
      linesInWindow = 0;
    }
    if (linesInWindow++ < MAX_LINES) log(...line);
    else this.#counts.unlogged++;
  }
}
