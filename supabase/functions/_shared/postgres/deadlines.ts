/** How late a deadline may be noticed, in milliseconds. */
const TICK_MS = 250;

/**
 * Gives pieces of work their time, with one timer for all of them. A timer for each costs more than most statements: even
 * a cleared one keeps what it refers to, such as a page of rows, past the next collection of garbage.
 */
export class Deadlines {
  readonly #pending = new Set<{ at: number; expire: () => void }>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * What the work comes to, or, after so many milliseconds (and up to 250 more), the error that `late` makes. The work
   * goes on even so: who began it ends it.
   */
  async within<T>(ms: number, late: () => Error, work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const deadline = { at: performance.now() + ms, expire: () => reject(late()) };
    this.#pending.add(deadline);
    this.#timer ??= setInterval(() => this.#look(), TICK_MS);
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

  #look(): void {
    const now = performance.now();
    for (const { at, expire } of this.#pending) if (at <= now) expire();
  }
}
