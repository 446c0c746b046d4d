/** A caller whom a door admitted in this isolate. */
interface KnownCaller {
  readonly callerId: string;
  readonly workspaceId: string;
}

/** Maximum number of remembered callers; each takes some 300 bytes. */
const MAX_CALLERS = 10_000;
/** Milliseconds after an admission for which a large body is read without identifying the caller first. */
const RECENT_MS = 60_000;

/**
 * Remembers the callers whom a door admitted, by their credential as in `DoorCall`. Strangers cannot fill this memory,
 * because only valid credentials are stored. The memory only decides who waits for whom and when a body is read; the
 * door authenticates every call in any case.
 */
export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller & { admitted: number }>();
  readonly #debts = new Map<string, number>();

  /**
   * Stores a caller as the newest, and removes the caller seen longest ago if there are too many.
   *
   * @param mayCall false if the call exceeded the rate limit; the caller's next large body then waits for the door
   */
  remember(credential: string, { callerId, workspaceId }: KnownCaller, mayCall: boolean): void {
    this.#callers.delete(credential);
    const admitted = mayCall ? performance.now() : -Infinity;
    this.#callers.set(credential, { callerId, workspaceId, admitted });
    removeOldest(this.#callers);
  }

  forget(credential: string): void {
    this.#callers.delete(credential);
    this.#debts.delete(credential);
  }

  /** Notes a cancelled call, whose count may have been undone. It will be counted before the caller's next call. */
  addDebt(credential: string): void {
    this.#debts.set(credential, (this.#debts.get(credential) ?? 0) + 1);
    removeOldest(this.#debts);
  }

  /** Whether a call with this credential is still to be counted. */
  owes(credential: string): boolean {
    return this.#debts.has(credential);
  }

  /** Removes one of the calls that are still to be counted; returns false if there is none. */
  takeDebt(credential: string): boolean {
    const debt = this.#debts.get(credential) ?? 0;
    if (debt > 1) this.#debts.set(credential, debt - 1);
    else this.#debts.delete(credential);
    return debt > 0;
  }

  find(credential: string): KnownCaller | undefined {
    return this.#callers.get(credential);
  }

  isRecent(credential: string): boolean {
    const caller = this.#callers.get(credential);
    return caller !== undefined && performance.now() - caller.admitted < RECENT_MS;
  }
}

/** Removes the oldest entry if the map has become too large. */
function removeOldest(entries: Map<string, unknown>): void {
  if (entries.size > MAX_CALLERS) entries.delete(entries.keys().next().value!);
}
