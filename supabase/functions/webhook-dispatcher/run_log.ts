import { log } from "../_shared/runtime/log.ts";
import type { AttemptResult } from "./attempt_delivery.ts";
import type { ClaimedDelivery } from "./queue.ts";

/** Maximum log lines for failures in `WINDOW_MS`, because Supabase drops lines beyond 100 in 10 s. */
const MAX_LINES = 50;
const WINDOW_MS = 10_000;

let windowStart = -Infinity;
let linesInWindow = 0;

/** Counts the results of a run. Logs a line for each failure at once, and a line for the run at its end. */
export class RunLog {
  readonly #started = performance.now();
  readonly #counts = {
    delivered: 0,
    /** Failed attempts of deliveries that are tried again, unless their subscription was deleted. */
    retried: 0,
    /** Deliveries whose last attempt failed. */
    failed: 0,
    /** Subscriptions that became inactive because a delivery failed. */
    deactivated: 0,
    /** Outcomes that were not recorded, because another dispatcher has claimed the delivery. */
    superseded: 0,
    /** Attempts that were not made or not recorded because of a fault of the service. They will be repeated. */
    abandoned: 0,
    /** Failures beyond MAX_LINES, which have no line of their own. */
    unlogged: 0,
  };
  #claimed = 0;

  addClaimed(count: number): void {
    this.#claimed += count;
  }

  /** Counts the result of an attempt, and logs a failure. */
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

  /** Logs the run if it claimed anything. Most runs claim nothing, because another run has done the work. */
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
