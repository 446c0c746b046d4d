/**
 * Lets at most so many pieces of work of one owner go on at once; the rest wait in line. Calls of one API key wait for
 * each other in the database: without this, the calls of one busy key would hold every connection while they wait.
 */
export class FairShare {
  readonly #owners = new Map<string, { inside: number; line: (() => void)[] }>();

  /** @param places of one owner, at the same time */
  constructor(readonly places: number) {}

  /**
   * Does the work when there is a place for its owner.
   *
   * @param patience milliseconds in line at most
   * @param late makes the error for who has waited so long
   */
  async run<T>(owner: string, patience: number, late: () => Error, work: () => Promise<T>): Promise<T> {
    const state = this.#owners.get(owner) ?? { inside: 0, line: [] };
    this.#owners.set(owner, state);
    if (state.inside < this.places) state.inside++;
    else await this.#wait(state.line, patience, late);
    try {
      return await work();
    } finally {
      // A place is handed to the next in line, or given back.
      const next = state.line.shift();
      if (next) next();
      else if (--state.inside === 0) this.#owners.delete(owner);
    }
  }

  #wait(line: (() => void)[], patience: number, late: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(enter), 1);
        reject(late());
      }, patience);
      line.push(enter);
    });
  }
}
