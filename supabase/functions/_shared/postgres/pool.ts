// @ts-types="@types/pg"
import pg from "pg";
import { log } from "../runtime/log.ts";
import type { ConnectBackoff } from "./backoff.ts";
import type { ConnectionSettings } from "./connection.ts";

/** Milliseconds without a statement after which a connection is closed. */
const IDLE_MS = 60_000;
/** Milliseconds between two searches for idle connections. */
const CHECK_MS = 15_000;

/** Maximum time that a pipelined statement waits for a lock, because the statements behind it wait too. */
const PIPELINE_LOCK_TIMEOUT = "250ms";

type Callback = (error: Error | null, client?: unknown) => void;

/**
 * Creates the pool of connections; the backoff decides when they connect. A separate file, so that only the first
 * statement loads the driver: half of the code that a function loads.
 *
 * @param pipeline whether a connection sends each statement without waiting for the reply to the previous statement
 */
export function createPool(
  settings: ConnectionSettings,
  { max, connectMs, backoff, pipeline = false }: {
    max: number;
    connectMs: number;
    backoff: ConnectBackoff;
    pipeline?: boolean;
  },
): pg.Pool {
  const pool = new pg.Pool({
    ...settings,
    Client: clientClass(backoff, connectMs),
    application_name: "crm-api",
    max,
    pipeline,
    // Turns off the pool's own idle timeout. It would set and clear two timers for each statement, which is a quarter
    // of the statement's cost in this process.
    idleTimeoutMillis: 0,
  });
  closeIdleConnections(pool);
  // Without a listener the error would end the isolate. Logging is enough: the pool has removed the connection.
  pool.on("error", (error) => log("connection_lost", { error: error.message }));
  // Without a listener this error would end the isolate too. It is ignored: a statement on the connection fails anyway.
  pool.on("connect", (client) => client.on("error", () => {}));
  if (pipeline) {
    // Sent before the connection's first statement. A failure is ignored, because that statement reports it too.
    pool.on("connect", (client) => {
      client.query(`set lock_timeout = '${PIPELINE_LOCK_TIMEOUT}'`).catch(() => {});
    });
  }
  return pool;
}

/** Closes connections that were idle for {@link IDLE_MS}, with a single timer that runs while there are connections. */
function closeIdleConnections(pool: pg.Pool): void {
  const usedAt = new WeakMap<pg.PoolClient, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  async function check(): Promise<void> {
    const latest = performance.now() - IDLE_MS;
    // If a connection dies during the check, the pool may open another, whose failure does not matter.
    const idle = await Promise.all(
      Array.from({ length: pool.idleCount }, () => pool.connect().catch(() => null)),
    );
    for (const client of idle) {
      if (client === null) continue;
      const at = usedAt.get(client) ?? performance.now();
      client.release(at < latest);
      // Checking must not reset the idle time.
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
      // `pg` listens for the end of the socket below TLS. On Deno 2.1, on which the edge runtime is built, only the TLS
      // stream reports this end. Without this, the pool would count a closed connection forever.
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
