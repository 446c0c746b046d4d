import { log } from "../runtime/log.ts";
import { isDatabaseError } from "./database_error.ts";
import { Deadlines } from "../runtime/deadlines.ts";

/** Why connecting failed, as far as it matters for when to try again. */
type Reason = "refused" | "rejected" | "other";

/**
 * The first and the longest wait after a failure, in milliseconds; each failure doubles the wait.
 *
 * - `refused`: nobody answers there at the moment. An attempt costs nothing, and a database that restarts must be found
 *   again soon. These waits are so short that calls wait for their end.
 * - `rejected`: the credentials are wrong. Supavisor blocks an address that fails 10 times within 150 s for two minutes
 *   (`lib/supavisor/circuit_breaker.ex`), and edge functions share addresses. These waits make 9 attempts in 150 s.
 * - `other`: timeouts, TLS, too many connections.
 */
const WAITS_MS: Record<Reason, [first: number, longest: number]> = {
  refused: [50, 250],
  rejected: [500, 60_000],
  other: [500, 15_000],
};

/** How long others await an attempt since it began: the first ever, and one after a failure. In milliseconds. */
const FIRST_ATTEMPT_MS = 5_000;
const PROBE_MS = 1_000;

/** Failures for the same reason are logged at most this often, because Supabase limits the lines of a log. */
const LOG_MS = 10_000;

/** No connection was tried, because the last attempts failed. */
export class ConnectingPaused extends Error {
  override readonly name = "ConnectingPaused";
}

interface Failures {
  reason?: Reason;
  count: number;
  /** `performance.now()` before which no connection is tried. */
  until: number;
}

/**
 * Decides when to try to connect. After a failure nothing is tried for a while; then one attempt at a time is made,
 * whose result the others await. Until the first success there is also one attempt at a time, so that a wrong password is
 * tried once and not by every connection of the pool.
 */
export class ConnectBackoff {
  readonly #deadlines = new Deadlines();
  #loggedAt = 0;
  /** Null after a success. */
  #failures: Failures | null = { count: 0, until: 0 };
  /** The one attempt under way, where only one may be. */
  #probe: { done: Promise<unknown>; awaitedUntil: number } | undefined;

  /** Milliseconds until the next attempt may be made; 0 if it may be made now. */
  get pauseMs(): number {
    return Math.max(0, (this.#failures?.until ?? 0) - performance.now());
  }

  /** Waits for the end of a pause after `refused`, which is short, so that the call gets the result of a new attempt. */
  async waitOutShortPause(): Promise<void> {
    if (this.#failures?.reason !== "refused") return;
    // A timer may be early by a fraction of a millisecond.
    await new Promise((resolve) => setTimeout(resolve, this.pauseMs + 1));
  }

  /**
   * Runs `connect`, at once or after the attempt of another call.
   *
   * @throws {ConnectingPaused} if it may not be tried now
   */
  async run<T>(connect: () => Promise<T>): Promise<T> {
    if (this.#probe) await this.#awaitProbe(this.#probe);
    if (this.#failures === null) return await this.#attempt(connect);
    if (this.pauseMs > 0) throw new ConnectingPaused("The last attempt to connect failed");
    const awaitedMs = this.#failures.count === 0 ? FIRST_ATTEMPT_MS : PROBE_MS;
    const attempt = this.#attempt(connect).finally(() => this.#probe = undefined);
    this.#probe = { done: attempt.catch(() => {}), awaitedUntil: performance.now() + awaitedMs };
    return await attempt;
  }

  async #awaitProbe({ done, awaitedUntil }: { done: Promise<unknown>; awaitedUntil: number }): Promise<void> {
    const tooLong = () => new ConnectingPaused("The attempt to connect takes too long");
    const left = awaitedUntil - performance.now();
    if (left <= 0) throw tooLong();
    await this.#deadlines.enforce(left, tooLong, done);
  }

  async #attempt<T>(connect: () => Promise<T>): Promise<T> {
    const before = this.#failures;
    try {
      const connected = await connect();
      this.#failures = null;
      return connected;
    } catch (error) {
      // Attempts that were made at the same time fail together: they count as one.
      if (this.#failures === before) this.#failures = this.#pauseAfter(error);
      throw error;
    }
  }

  #pauseAfter(error: unknown): Failures {
    const reason = reasonOf(error);
    const count = this.#failures?.reason === reason ? this.#failures.count + 1 : 1;
    const [first, longest] = WAITS_MS[reason];
    const wait = Math.min(longest, first * 2 ** (count - 1));
    const now = performance.now();
    if (count === 1 || now - this.#loggedAt >= LOG_MS) {
      this.#loggedAt = now;
      log("database_connect_failed", { reason, failures: count, retry_ms: wait, error: String(error) });
    }
    return { reason, count, until: now + wait };
  }
}

/**
 * The reason of a failure. Postgres says class 28 for wrong credentials and 57P0x while it starts or stops; Supavisor
 * says XX000 for whatever it rejects itself, such as an unknown user or an address that it has blocked.
 */
function reasonOf(error: unknown): Reason {
  const { code = "", message } = error as { code?: string; message: string };
  if (isDatabaseError(error)) {
    return /^(28|XX000)/.test(code) ? "rejected" : code.startsWith("57P") ? "refused" : "other";
  }
  const closed = message === "Connection terminated unexpectedly";
  return closed || /^(ECONNREFUSED|ECONNRESET|EPIPE)$/.test(code) ? "refused" : "other";
}
