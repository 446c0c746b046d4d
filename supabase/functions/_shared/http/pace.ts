import type { GateName } from "../contract/declaration.ts";

/** The rate at which replies leave after a burst, per second. */
const REPLIES_PER_SECOND = 200;
const BURST = 50;
/** Maximum delay of a reply, in milliseconds. */
const MAX_DELAY_MS = 5_000;

const INTERVAL_MS = 1_000 / REPLIES_PER_SECOND;

/**
 * Delays replies that a client can cause any number of times (see `isRepeatable`). Without the delay, a client could
 * repeat calls on thousands of connections as fast as they are answered, and take the processor from other clients. The
 * newest reply leaves first, so an occasional call is hardly delayed, even during a flood.
 */
export class Pace {
  /** How many replies may leave without delay. */
  #allowance = BURST;
  #refilledAt = performance.now();
  /** Oldest first. */
  readonly #waiting: { since: number; release: () => void }[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when the reply may leave: at most 5 s later. */
  async wait(): Promise<void> {
    this.#refill();
    if (!this.isBusy && this.#allowance >= 1) {
      this.#allowance--;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ since: performance.now(), release: resolve });
    this.#timer ??= setInterval(() => this.#release(), INTERVAL_MS);
    await promise;
  }

  #refill(): void {
    const now = performance.now();
    this.#allowance = Math.min(BURST, this.#allowance + (now - this.#refilledAt) / INTERVAL_MS);
    this.#refilledAt = now;
  }

  #release(): void {
    this.#refill();
    for (; this.#allowance >= 1 && this.isBusy; this.#allowance--) this.#waiting.pop()!.release();
    const latest = performance.now() - MAX_DELAY_MS;
    const waitsOn = this.#waiting.findIndex(({ since }) => since > latest);
    const expired = this.#waiting.splice(0, waitsOn === -1 ? this.#waiting.length : waitsOn);
    for (const { release } of expired) release();
    if (this.isBusy) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A pace for each gate, so that a flood of random keys does not delay the health check. */
export const PACES: Record<GateName, Pace> = {
  key: new Pace(),
  session: new Pace(),
  link: new Pace(),
  none: new Pace(),
};
