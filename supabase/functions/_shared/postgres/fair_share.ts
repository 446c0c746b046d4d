/** The common owner of all unknown callers' statements, because a stranger can invent any number of keys. */
export const UNKNOWN_OWNER = "unknown";

/**
 * The owner of a task: an id, such as a workspace's, or a function that finds the id and resolves with undefined if
 * nobody owns the task. If other tasks run, the function is called before the task starts. If none runs, the task
 * starts at once, and the function is called only if another task then has to wait.
 */
export type Owner = string | (() => Promise<string | undefined>);

/** The place of a running task. While the task's owner is unknown, the place counts against every known owner. */
interface Place {
  owner?: string;
  ask?: () => Promise<string | undefined>;
}

/**
 * Limits how many tasks of one owner, such as a workspace, run at the same time; further tasks wait in a queue. Calls
 * of one workspace wait for each other's locks in the database, so without a limit a busy workspace would occupy every
 * connection with waiting calls.
 */
export class FairShare {
  readonly #owners = new Map<string, { running: number; queue: (() => void)[] }>();
  /** Running tasks whose owner is not known yet. */
  readonly #ownerless = new Set<Place>();
  #running = 0;
  #waiting = 0;
  /** Whether the last unknown caller that left the queue was the newest. */
  #newestUnknown = false;

  /**
   * @param limit maximum tasks that one owner runs at the same time
   * @param places maximum tasks in all; the last place is kept for an owner that has none, so that two owners cannot
   *  take all places
   */
  constructor(readonly limit: number, readonly places = Infinity) {}

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Whether a further task of this owner would have to wait. */
  isBusy(owner: string): boolean {
    const own = this.#owners.get(owner)?.running ?? 0;
    // The statements of UNKNOWN_OWNER are short, and identify the owners of other tasks. So they do not wait for a task
    // whose owner is still unknown.
    const perhapsOwn = owner === UNKNOWN_OWNER ? 0 : this.#ownerless.size;
    return own + perhapsOwn >= this.limit || (own > 0 && this.#running >= this.places - 1);
  }

  /**
   * Runs `work` as soon as its owner has a place; at once if the owner is a function and no other task runs.
   *
   * @param timeout maximum time in the queue, in milliseconds
   * @throws the error that `createError` returns, after the timeout
   */
  async run<T>(owner: Owner, timeout: number, createError: () => Error, work: () => Promise<T>): Promise<T> {
    // Only one task at a time may start without a known owner, because several could take all places.
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

  /** Resolves when the task has got one of its owner's places. */
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

  /** Starts waiting tasks while there are places, one task of each owner in turn. */
  #startWaiting(): void {
    if (this.#waiting === 0) return;
    for (const [owner, state] of this.#owners) {
      if (state.queue.length === 0 || this.isBusy(owner)) continue;
      // The newest and the oldest unknown caller take turns. With the newest, a valid key does not wait behind a flood
      // of forged keys. With the oldest, newer callers do not make a caller wait until its timeout.
      const isUnknown = owner === UNKNOWN_OWNER;
      if (isUnknown) this.#newestUnknown = !this.#newestUnknown;
      const startNext = isUnknown && this.#newestUnknown ? state.queue.pop()! : state.queue.shift()!;
      startNext();
      // Moves the owner to the end of the map, so that this loop visits all others first.
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
        // `ask` is called again when the next task has to wait.
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
