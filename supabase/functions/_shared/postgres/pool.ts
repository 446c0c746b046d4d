// @ts-types="@types/pg"
import pg from "pg";
import { log } from "../runtime/log.ts";
import type { ConnectBackoff } from "./backoff.ts";
import type { ConnectionSettings } from "./connection.ts";

/** Milliseconds without a statement after which a connection is closed. */
const IDLE_MS = 60_000;
/** Interval of the checks, in milliseconds. */
const CHECK_MS = 15_000;

type Callback = (error: Error | null, client?: unknown) => void;

/**
 * Creates the pool of connections, which connect when the backoff lets them. In a file of its own, so that the driver, half
 * of what a function loads, is loaded by its first statement.
 */
export function createPool(
  settings: ConnectionSettings,
  { max, connectMs, backoff }: { max: number; connectMs: number; backoff: ConnectBackoff },
): pg.Pool {
  const pool = new pg.Pool({
    ...settings,
    Client: clientClass(backoff, connectMs),
    application_name: "crm-api",
    max,
    // No timers of the pool: it would set and clear two for each statement, a quarter of what the statement costs here.
    idleTimeoutMillis: 0,
  });
  closeIdleConnections(pool);
  // The pool has already removed the connection; without a listener the error would terminate the isolate.
  pool.on("error", (error) => log("connection_lost", { error: error.message }));
  // A connection that breaks during a statement fails that statement; this listener keeps it from terminating the
  // isolate.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Closes what was idle for {@link IDLE_MS}, with one timer for all connections, while there are any. */
function closeIdleConnections(pool: pg.Pool): void {
  const usedAt = new WeakMap<pg.PoolClient, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  async function check(): Promise<void> {
    const latest = performance.now() - IDLE_MS;
    // One that is lost at this moment may be replaced, in vain.
    const idle = await Promise.all(
      Array.from({ length: pool.idleCount }, () => pool.connect().catch(() => null)),
    );
    for (const client of idle) {
      if (client === null) continue;
      const at = usedAt.get(client) ?? performance.now();
      client.release(at < latest);
      // To check it is not to use it.
      usedAt.set(client, at);
    }
  }
  pool.on("release", (_error, client) => usedAt.set(client, performance.now()));
  pool.on("connect", () => timer ??= setInterval(check, CHECK_MS));
  pool.on("remove", () => {
    if (pool.totalCount > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
}

function clientClass(backoff: ConnectBackoff, connectMs: number): new () => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: connectMs });
      const { connection } = this;
      // `pg` learns that a connection has closed from the socket below TLS. On Deno 2.1, which the edge runtime is built
      // on, only the TLS stream reports it, and the pool would never give the place of a closed connection to another.
      connection.once("sslconnect", () => connection.stream.once("close", () => connection.emit("end")));
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Callback): void;
    override connect(callback?: Callback): Promise<pg.Client> | void {
      const connected = backoff.run(() => super.connect());
      if (!callback) return connected;
      connected.then((client) => callback(null, client), callback);
    }
  };
}
