/** Interval of the checks, in milliseconds: the maximum delay after a deadline. */
const TICK_MS = 250;

/**
 * Enforces deadlines on promises, with one timer for all of them. A timer for each promise costs more than most
 * statements: even a cleared timer keeps its references, such as a page of rows, alive past the next garbage
 * collection.
 */
export class Deadlines {
  readonly #pending = new Set<{ at: number; expire: () => void }>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * Resolves with `work`, or rejects with `createError()` after `ms` milliseconds (and up to 250 more). It does not
   * cancel the work: the caller must do that.
   */
  async enforce<T>(ms: number, createError: () => Error, work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const deadline = { at: performance.now() + ms, expire: () => reject(createError()) };
    this.#pending.add(deadline);
    this.#timer ??= setInterval(() => this.#expireDue(), TICK_MS);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#pending.delete(deadline);
      if (this.#pending.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  #expireDue(): void {
    const now = performance.now();
    for (const { at, expire } of this.#pending) if (at <= now) expire();
  }
}
