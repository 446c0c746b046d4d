// @ts-types="@types/pg"
import pg from "pg";
import type { ConnectBackoff } from "./backoff.ts";

type Callback = (error: Error | null, client?: unknown) => void;

/** Creates the class of a pool's clients, which connect when the backoff lets them. */
export function clientClass(backoff: ConnectBackoff): new () => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
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
