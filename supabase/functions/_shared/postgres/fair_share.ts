/** The one owner of all calls whose caller this isolate does not know: a stranger can invent any number of keys. */
export const UNKNOWN_OWNER = "unknown";

/**
 * Limits how many tasks of one owner, a workspace, run at the same time; further tasks wait in a queue. Calls of one
 * workspace wait for each other in the database, so without a limit those of a busy one would occupy every connection
 * while they wait.
 */
export class FairShare {
  readonly #owners = new Map<string, { running: number; queue: (() => void)[] }>();

  /** @param limit number of tasks that one owner can run at the same time */
  constructor(readonly limit: number) {}

  /** Whether a further task of this owner would have to wait. */
  isBusy(owner: string): boolean {
    return (this.#owners.get(owner)?.running ?? 0) >= this.limit;
  }

  /**
   * Runs `work` as soon as its owner is below the limit.
   *
   * @param timeout maximum time in the queue, in milliseconds
   * @throws the error that `createError` returns, after the timeout
   */
  async run<T>(owner: string, timeout: number, createError: () => Error, work: () => Promise<T>): Promise<T> {
    const state = this.#owners.get(owner) ?? { running: 0, queue: [] };
    this.#owners.set(owner, state);
    if (state.running < this.limit) state.running++;
    else await this.#wait(state.queue, timeout, createError);
    try {
      return await work();
    } finally {
      // The next task takes over from this one, so that no other call can start between the two.
      // Of the unknown callers the newest is next: while strangers fill the queue, the first call of a valid key would
      // otherwise wait behind all of theirs.
      const startNext = owner === UNKNOWN_OWNER ? state.queue.pop() : state.queue.shift();
      if (startNext) startNext();
      else if (--state.running === 0) this.#owners.delete(owner);
    }
  }

  #wait(queue: (() => void)[], timeout: number, createError: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(start), 1);
        reject(createError());
      }, timeout);
      queue.push(start);
    });
  }
}
