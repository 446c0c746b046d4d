/** Maximum simultaneous attempts that are not slow. `crm.delivery_claim` limits each workspace's share. */
const MAX_QUICK = 64;
/** Maximum simultaneous attempts, also slow ones, because each has a connection and 16 KiB for its answer. */
const MAX_ATTEMPTS = 256;
/** Milliseconds after which an attempt counts as slow: ten times as long as a working receiver takes. */
const SLOW_MS = 500;
/** Maximum characters in the bodies of all slow attempts, because 256 bodies of 256 KiB would take too much memory. */
const MAX_SLOW_BODIES = 8 * 1024 * 1024;

export interface Place {
  /** In milliseconds of `performance.now()`. */
  startedAt: number;
  /** Characters of the body. */
  body: number;
}

/**
 * The attempts under way in this process. A slow attempt frees its place. So a receiver that hangs, for up to 10 s,
 * does not delay deliveries to other receivers.
 */
export class Places {
  /** Oldest first. */
  readonly #taken = new Set<Place>();

  /** The number of attempts under way, including slow ones. */
  get taken(): number {
    return this.#taken.size;
  }

  take(body: number, startedAt = performance.now()): Place {
    const place = { startedAt, body };
    this.#taken.add(place);
    return place;
  }

  leave(place: Place): void {
    this.#taken.delete(place);
  }

  /** How many attempts may start now. */
  free(now = performance.now()): number {
    const quick = this.#taken.size - this.#slow(now);
    return Math.max(0, Math.min(MAX_QUICK - quick, MAX_ATTEMPTS - this.#taken.size));
  }

  /** Milliseconds until the next attempt becomes slow; Infinity if none will. */
  untilSlow(now = performance.now()): number {
    for (const { startedAt } of this.#taken) {
      if (now - startedAt < SLOW_MS) return startedAt + SLOW_MS - now;
    }
    return Infinity;
  }

  /** The number of slow attempts that have freed their places. */
  #slow(now: number): number {
    let slow = 0;
    let bodies = 0;
    for (const { startedAt, body } of this.#taken) {
      if (now - startedAt < SLOW_MS) break;
      bodies += body;
      if (bodies <= MAX_SLOW_BODIES) slow++;
    }
    return slow;
  }
}
