/** Interval of the checks, in milliseconds: the maximum delay after a deadline. */
const TICK_MS = 250;

interface Deadline {
  readonly at: number;
  readonly expire: () => void;
  /** Its place among those that are pending. */
  place: number;
}

/**
 * Enforces deadlines on promises, with one timer for all of them. A timer for each promise costs more than most
 * statements: even a cleared timer keeps its references, such as a page of rows, alive past the next garbage
 * collection.
 */
export class Deadlines {
  /**
   * In no order. A Set would keep whole requests alive until the next full collection: V8 replaces the table of a busy one
   * every few entries, and the tables, with what was in them, form a chain that hangs on the first that grew old.
   */
  readonly #pending: Deadline[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * Resolves with `work`, or rejects with `createError()` after `ms` milliseconds (and up to 250 more). It does not
   * cancel the work: the caller must do that.
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

/** The deadlines of all requests: while one waits for the database, no other needs a timer for its body. */
export const deadlines = new Deadlines();
