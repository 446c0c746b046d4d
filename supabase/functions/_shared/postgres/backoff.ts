import { log } from "../runtime/log.ts";
import { isDatabaseError } from "./database_error.ts";
import { deadlines } from "../runtime/deadlines.ts";

/** Why connecting failed. The reason decides when to try again. */
type Reason = "refused" | "rejected" | "other";

/**
 * The first and the longest wait after a failure, in milliseconds; each failure doubles the wait.
 *
 * - `refused`: nothing listens at the address now. An attempt costs nothing, and a restarted database should be noticed
 *   soon. The pauses are so short that calls wait for their end.
 * - `rejected`: the credentials are wrong. Supavisor blocks an address for two minutes after 10 failures within 150 s
 *   (`lib/supavisor/circuit_breaker.ex`), and edge functions share addresses. These waits allow only 9.
 * - `other`: timeouts, TLS, too many connections.
 */
const WAITS_MS: Record<Reason, [first: number, longest: number]> = {
  refused: [50, 250],
  rejected: [500, 60_000],
  other: [500, 15_000],
};

/**
 * Maximum milliseconds for which other calls wait for an attempt's result: FIRST_ATTEMPT_MS for the first attempt,
 * PROBE_MS for an attempt after a failure.
 */
const FIRST_ATTEMPT_MS = 5_000;
const PROBE_MS = 1_000;

/** Minimum milliseconds between two log lines for the same `Reason`, because Supabase limits the number of lines. */
const LOG_MS = 10_000;

/** The call did not try to connect, because earlier attempts failed or another call's attempt takes too long. */
export class ConnectingPaused extends Error {
  override readonly name = "ConnectingPaused";
}

interface Failures {
  reason?: Reason;
  count: number;
  /** The moment until which no attempt is made, in milliseconds of `performance.now()`. */
  until: number;
}

/**
 * Decides when to try to connect. After a failure there is a pause. Then one attempt is made at a time, and other calls
 * wait for its result. This also applies before the first success, so that the connections of the pool do not all try a
 * wrong password.
 */
export class ConnectBackoff {
  #loggedAt = 0;
  /** Null after a success. */
  #failures: Failures | null = { count: 0, until: 0 };
  /** The attempt under way, while only one attempt at a time is allowed. */
  #probe: { done: Promise<unknown>; awaitedUntil: number } | undefined;

  /** Milliseconds until the next attempt is allowed; 0 if it is allowed now. */
  get pauseMs(): number {
    return Math.max(0, (this.#failures?.until ?? 0) - performance.now());
  }

  /** Waits for the end of a pause with the reason `refused`, so that the call gets the result of a new attempt. */
  async waitOutShortPause(): Promise<void> {
    if (this.#failures?.reason !== "refused") return;
    // A timer may be early by a fraction of a millisecond.
    await new Promise((resolve) => setTimeout(resolve, this.pauseMs + 1));
  }

  /**
   * Runs `connect` at once, or after the attempt of another call.
   *
   * @throws {ConnectingPaused} if no attempt is allowed now
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
    await deadlines.enforce(left, tooLong, done);
  }

  async #attempt<T>(connect: () => Promise<T>): Promise<T> {
    const before = this.#failures;
    try {
      const connected = await connect();
      this.#failures = null;
      return connected;
    } catch (error) {
      // Simultaneous attempts that fail together count as one failure.
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
 * The reason for a failure. Postgres reports class 28 for wrong credentials, and 57P0x while it starts or stops.
 * Supavisor reports XX000 for whatever it rejects itself, such as an unknown user or a blocked address.
 */
function reasonOf(error: unknown): Reason {
  const { code = "", message } = error as { code?: string; message: string };
  if (isDatabaseError(error)) {
    return /^(28|XX000)/.test(code) ? "rejected" : code.startsWith("57P") ? "refused" : "other";
  }
  const closed = message === "Connection terminated unexpectedly";
  return closed || /^(ECONNREFUSED|ECONNRESET|EPIPE)$/.test(code) ? "refused" : "other";
}
