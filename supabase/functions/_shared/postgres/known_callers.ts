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

  /**
   * Stores a caller as the newest; the one that was seen longest ago makes room.
   *
   * @param mayCall whether its rate limit left it this call; if not, its next large body is not read either
   */
  remember(credential: string, { callerId, workspaceId }: KnownCaller, mayCall: boolean): void {
    this.#callers.delete(credential);
    const admitted = mayCall ? performance.now() : -Infinity;
    this.#callers.set(credential, { callerId, workspaceId, admitted });
    if (this.#callers.size > MAX_CALLERS) this.#callers.delete(this.#callers.keys().next().value!);
  }

  /** Removes a caller who is no longer admitted. */
  forget(credential: string): void {
    this.#callers.delete(credential);
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
