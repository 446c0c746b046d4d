import type { GateName } from "../contract/endpoint.ts";

/** Replies a second that leave without delay, beyond the first ones of a burst. */
const REPLIES_PER_SECOND = 200;
const BURST = 50;
/** Maximum delay of a reply, in milliseconds. */
const MAX_DELAY_MS = 5_000;

const INTERVAL_MS = 1_000 / REPLIES_PER_SECOND;

/**
 * Paces the replies to callers who have shown no valid credential. Whoever sends as fast as it is answered, over thousands
 * of connections, would otherwise take the processor from the others. An occasional call is not delayed.
 */
export class Pace {
  /** When the next reply may leave; in the past while a burst is possible. */
  #next = -Infinity;

  /** Whether a reply would be delayed now. */
  get isBusy(): boolean {
    return this.#next > performance.now();
  }

  /** Resolves when the reply may leave, after 5 s at most. */
  async wait(): Promise<void> {
    const now = performance.now();
    const due = Math.max(this.#next, now - BURST * INTERVAL_MS);
    this.#next = Math.min(due + INTERVAL_MS, now + MAX_DELAY_MS);
    if (due > now) await new Promise((resolve) => setTimeout(resolve, due - now));
  }
}

/** One for each gate, so that a flood of random keys does not delay the health check. */
export const PACES: Record<GateName, Pace> = { key: new Pace(), link: new Pace(), none: new Pace() };
