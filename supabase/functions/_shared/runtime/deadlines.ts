/** Milliseconds between checks, and so the maximum delay with which a deadline is enforced. */
const TICK_MS = 250;

interface Deadline {
  readonly at: number;
  readonly expire: () => void;
  /** The index of this deadline in the list of pending deadlines. */
  place: number;
}

/**
 * Enforces deadlines on promises, with one timer for all of them. With a timer for each promise, garbage collection
 * would take more time than most statements: a cleared timer keeps what it references, such as a page of rows, in
 * memory past the next collection.
 */
export class Deadlines {
  /**
   * The pending deadlines, in no order. Not a Set, because V8 replaces the table of a busy Set after every few entries.
   * The old tables reference each other, and so keep whole requests alive until the next full garbage collection.
   */
  readonly #pending: Deadline[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * Settles like `work`, or rejects with `createError()` after `ms` milliseconds and up to 250 more. The caller must
   * then cancel the work.
   */
  async enforce<T>(ms: number, createError: () => Error, work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const place = this.#pending.length;
    const deadline = { at: performance.now() + ms, expire: () => reject(createError()), place };
    this.#pending.push(deadline);
    this.#timer ??= setInterval(() => this.#expireDue(), TICK_MS);
    work.then(resolve, reject);
    try {
      return await promise;
    } finally {
      this.#remove(deadline);
    }
  }

  #remove(deadline: Deadline): void {
    const last = this.#pending.pop()!;
    if (last !== deadline) {
      this.#pending[deadline.place] = last;
      last.place = deadline.place;
    }
    if (this.#pending.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #expireDue(): void {
    const now = performance.now();
    for (const { at, expire } of this.#pending) if (at <= now) expire();
  }
}

/** The deadlines of all requests in this isolate. */
export const deadlines = new Deadlines();
