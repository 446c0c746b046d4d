import type { Connection } from "./connection.ts";

/** Milliseconds for which an idle connection is kept. Node and Apache close an idle connection after 5 s. */
const IDLE_MS = 2_000;
/** Maximum age of a connection, so that a receiver's new certificate is soon checked. */
const MAX_AGE_MS = 30_000;
/** Maximum idle connections in all; each may take some 50 KiB. */
const MAX_IDLE = 128;
/**
 * Maximum idle connections to one origin: the maximum number of simultaneous attempts to a host (`crm.delivery_claim`).
 */
const MAX_IDLE_PER_ORIGIN = 64;

interface IdleConnection {
  connection: Connection;
  origin: string;
  /** In milliseconds of `performance.now()`. */
  since: number;
}

/**
 * Idle connections whose last answer has certainly ended, so that they may carry another request. A request only gets a
 * connection to its own origin (scheme, host name and port) and to an address that the attempt has checked.
 */
export class KeptConnections {
  /** The longest idle first. */
  #idle: IdleConnection[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  get size(): number {
    return this.#idle.length;
  }

  /** Removes and returns a connection for a request; undefined if there is none. */
  take(origin: string, addresses: readonly string[]): Connection | undefined {
    const index = this.#idle.findLastIndex((idle) =>
      idle.origin === origin && addresses.includes(idle.connection.address)
    );
    return index === -1 ? undefined : this.#idle.splice(index, 1)[0]!.connection;
  }

  /**
   * Keeps a connection for 2 s. Closes it if it is too old, if its origin has too many, or if the receiver sends bytes
   * while it is idle: they would count as the next answer. Beyond MAX_IDLE closes the connection idle longest.
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
