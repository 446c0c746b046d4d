/** The one owner of all questions of callers whom this isolate does not know: a stranger can invent any number of keys. */
export const UNKNOWN_OWNER = "unknown";

/**
 * Who owns a task: the id of a workspace, or a function that finds it out, for a task that may begin before that is known if
 * no other runs. The function is called once another one has to wait, and resolves with undefined for nobody's.
 */
export type Owner = string | (() => Promise<string | undefined>);

/** The place of a task that runs. Without an owner it counts as a place of each. */
interface Place {
  owner?: string;
  ask?: () => Promise<string | undefined>;
}

/**
 * Limits how many tasks of one owner, a workspace, run at the same time; further tasks wait in a queue. Calls of one
 * workspace wait for each other in the database, so without a limit those of a busy one would occupy every connection
 * while they wait.
 */
export class FairShare {
  readonly #owners = new Map<string, { running: number; queue: (() => void)[] }>();
  /** Running tasks whose owner is yet to be found out. */
  readonly #ownerless = new Set<Place>();
  #running = 0;
  #waiting = 0;

  /**
   * @param limit number of tasks that one owner can run at the same time
   * @param places number of tasks for which there is room: the last place is kept for an owner that has none, so that two
   *  owners cannot take all
   */
  constructor(readonly limit: number, readonly places = Infinity) {}

  /** Whether no task runs. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Whether a further task of this owner would have to wait. */
  isBusy(owner: string): boolean {
    const own = this.#owners.get(owner)?.running ?? 0;
    // Questions are short, and are how a task without an owner gets one, so they do not wait for it.
    const perhapsOwn = owner === UNKNOWN_OWNER ? 0 : this.#ownerless.size;
    return own + perhapsOwn >= this.limit || (own > 0 && this.#running >= this.places - 1);
  }

  /**
   * Runs `work` as soon as its owner may; at once if that is yet to be found out and no other task runs.
   *
   * @param timeout maximum time in the queue, in milliseconds
   * @throws the error that `createError` returns, after the timeout
   */
  async run<T>(owner: Owner, timeout: number, createError: () => Error, work: () => Promise<T>): Promise<T> {
    // One at most counts as everybody's: others could take all places at once.
    if (typeof owner !== "string" && !this.isIdle) owner = await owner() ?? UNKNOWN_OWNER;
    const place: Place = typeof owner === "string" ? { owner } : { ask: owner };
    if (place.owner !== undefined && this.isBusy(place.owner)) {
      await this.#wait(place.owner, timeout, createError);
    } else {
      this.#take(place);
    }
    try {
      return await work();
    } finally {
      this.#leave(place);
    }
  }

  #stateOf(owner: string) {
    const state = this.#owners.get(owner) ?? { running: 0, queue: [] };
    this.#owners.set(owner, state);
    return state;
  }

  #take(place: Place): void {
    this.#running++;
    if (place.owner === undefined) this.#ownerless.add(place);
    else this.#stateOf(place.owner).running++;
  }

  #leave(place: Place): void {
    this.#running--;
    if (place.owner === undefined) {
      this.#ownerless.delete(place);
    } else {
      this.#stateOf(place.owner).running--;
      this.#forgetUnused(place.owner);
    }
    this.#startWaiting();
  }

  #forgetUnused(owner: string): void {
    const { running, queue } = this.#stateOf(owner);
    if (running === 0 && queue.length === 0) this.#owners.delete(owner);
  }

  /** Resolves in a place of the owner. */
  #wait(owner: string, timeout: number, createError: () => Error): Promise<void> {
    const { queue } = this.#stateOf(owner);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      this.#waiting--;
      clearTimeout(timer);
      this.#take({ owner });
      resolve();
    };
    const timer = setTimeout(() => {
      this.#waiting--;
      queue.splice(queue.indexOf(start), 1);
      this.#forgetUnused(owner);
      reject(createError());
    }, timeout);
    this.#waiting++;
    queue.push(start);
    for (const place of this.#ownerless) this.#findOwner(place);
    return promise;
  }

  /** Starts the tasks that may start, before any other call can. Of several owners each gets one place in turn. */
  #startWaiting(): void {
    if (this.#waiting === 0) return;
    for (const [owner, state] of this.#owners) {
      if (state.queue.length === 0 || this.isBusy(owner)) continue;
      // Of the unknown callers the newest is next: while strangers fill the queue, the first call of a valid key would
      // otherwise wait behind all of theirs.
      const startNext = owner === UNKNOWN_OWNER ? state.queue.pop()! : state.queue.shift()!;
      startNext();
      // Visited again by this loop, after the others.
      this.#owners.delete(owner);
      this.#owners.set(owner, state);
    }
  }

  #findOwner(place: Place): void {
    const { ask } = place;
    if (ask === undefined) return;
    delete place.ask;
    ask().catch(() => undefined).then((owner) => {
      if (!this.#ownerless.has(place)) return;
      if (owner === undefined) {
        // The next task that has to wait asks again.
        place.ask = ask;
        return;
      }
      this.#ownerless.delete(place);
      place.owner = owner;
      this.#stateOf(owner).running++;
      this.#startWaiting();
    });
  }
}
