import type { Connection } from "./connection.ts";

/** Shorter than the 5 s after which the servers of Node and Apache close a connection that has no request. */
const IDLE_MS = 2_000;
/** Connections are opened anew after this time, so that a new certificate of the receiver is checked. */
const MAX_AGE_MS = 30_000;
/** Each may hold some 50 KiB. */
const MAX_IDLE = 128;
/** As many as may be in flight to a host (`crm.delivery_claim`). One receiver never takes all the room. */
const MAX_IDLE_PER_ORIGIN = 64;

interface IdleConnection {
  connection: Connection;
  origin: string;
  /** In milliseconds of `performance.now()`. */
  since: number;
}

/**
 * Idle connections that may carry another request, because the answer on them is known to have ended. A connection is
 * given only to a request of the same origin (scheme, host name and port), and only if the address that it goes to is
 * among those that were checked for this request.
 */
export class KeptConnections {
  /** The longest idle one first. */
  #idle: IdleConnection[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The number of idle connections. */
  get size(): number {
    return this.#idle.length;
  }

  /** Removes and returns a connection for a request, or returns undefined. */
  take(origin: string, addresses: readonly string[]): Connection | undefined {
    const index = this.#idle.findLastIndex((idle) =>
      idle.origin === origin && addresses.includes(idle.connection.address)
    );
    return index === -1 ? undefined : this.#idle.splice(index, 1)[0]!.connection;
  }

  /**
   * Keeps a connection for 2 s, or closes it: if it is too old, or too many are idle. A receiver that sends anything, or
   * closes, while no request is under way loses the connection: the bytes must not become the answer of the next request.
   */
  keep(origin: string, connection: Connection): void {
    const now = performance.now();
    const ofOrigin = this.#idle.filter((idle) => idle.origin === origin).length;
    if (now - connection.openedAt > MAX_AGE_MS || ofOrigin >= MAX_IDLE_PER_ORIGIN) return connection.close();
    if (this.#idle.length >= MAX_IDLE) this.#idle.shift()!.connection.close();

    const idle = { connection, origin, since: now };
    this.#idle.push(idle);
    const drop = () => {
      const index = this.#idle.indexOf(idle);
      if (index !== -1) this.#close(index);
    };
    connection.readAhead().then(drop, drop);
    this.#timer ??= setTimeout(() => this.#closeExpired(), IDLE_MS);
  }

  /** Closes all idle connections. */
  closeAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#idle.length > 0) this.#close(0);
  }

  #closeExpired(): void {
    const now = performance.now();
    while (this.#idle.length > 0 && now - this.#idle[0]!.since >= IDLE_MS) this.#close(0);
    const next = this.#idle[0];
    this.#timer = next && setTimeout(() => this.#closeExpired(), Math.ceil(next.since + IDLE_MS - now));
  }

  #close(index: number): void {
    this.#idle.splice(index, 1)[0]!.connection.close();
  }
}
