/** A caller whom a door admitted in this isolate. */
interface KnownCaller {
  readonly callerId: string;
  readonly workspaceId: string;
}

/** Maximum number of callers that are remembered; each takes some 300 bytes. */
const MAX_CALLERS = 10_000;
/** Milliseconds for which an admitted caller may send a large body without being judged first. */
const RECENT_MS = 60_000;

/**
 * Remembers, by the hash of their credential, the callers whom a door admitted. Only valid credentials enter, so strangers
 * cannot fill it. It decides who waits for whom and when a body is read; every call is still authenticated by its door.
 */
export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller & { admitted: number }>();
  readonly #debts = new Map<string, number>();

  /**
   * Stores a caller as the newest; the one that was seen longest ago makes room.
   *
   * @param mayCall whether its rate limit left it this call; if not, its next large body is not read either
   */
  remember(credential: string, { callerId, workspaceId }: KnownCaller, mayCall: boolean): void {
    this.#callers.delete(credential);
    const admitted = mayCall ? performance.now() : -Infinity;
    this.#callers.set(credential, { callerId, workspaceId, admitted });
    removeOldest(this.#callers);
  }

  /** Removes a caller who is no longer admitted. */
  forget(credential: string): void {
    this.#callers.delete(credential);
    this.#debts.delete(credential);
  }

  /** Notes a call that was cancelled, and its count with it: it is counted before the caller's next call. */
  addDebt(credential: string): void {
    this.#debts.set(credential, (this.#debts.get(credential) ?? 0) + 1);
    removeOldest(this.#debts);
  }

  /** Whether a call of this credential is yet to be counted. */
  owes(credential: string): boolean {
    return this.#debts.has(credential);
  }

  /** Takes one call from those that are yet to be counted; false if there is none. */
  takeDebt(credential: string): boolean {
    const debt = this.#debts.get(credential) ?? 0;
    if (debt > 1) this.#debts.set(credential, debt - 1);
    else this.#debts.delete(credential);
    return debt > 0;
  }

  find(credential: string): KnownCaller | undefined {
    return this.#callers.get(credential);
  }

  /** Whether the caller was admitted within the last minute. */
  isRecent(credential: string): boolean {
    const caller = this.#callers.get(credential);
    return caller !== undefined && performance.now() - caller.admitted < RECENT_MS;
  }
}

/** Removes the oldest entry of a map that has become too large. */
function removeOldest(entries: Map<string, unknown>): void {
  if (entries.size > MAX_CALLERS) entries.delete(entries.keys().next().value!);
}
