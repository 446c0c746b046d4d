import { join } from "node:path";
import type { Sql } from "postgres";
import { startOwnPostgres } from "../../local/own_postgres.ts";
import { startPostgres } from "../../local/postgres.ts";
import { binariesFolder, run, systemUser } from "../../local/postgres_binaries.ts";
import { openSql } from "../../local/sql.ts";
import { type Character, type Dispatcher, spawnDispatcher } from "./dispatcher_process.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/**
 * What the figures run on: a Postgres and a receiver of their own. No gateway and no scheduler: nobody delivers but
 * the dispatchers that a figure starts, so nothing that it kills is made up for by another.
 */
export interface World {
  /** Temporary; for whatever a figure keeps. */
  folder: string;
  /** Of Postgres. */
  dataDir: string;
  /** Another one after `restartPostgres`. */
  readonly sql: Sql;
  receiver: Receiver;
  /** What the dispatcher's own modules read. */
  env: Record<string, string>;
  spawnDispatcher(character?: Character): Dispatcher;
  killDispatchers(): Promise<void>;
  /** `pg_ctl stop -m immediate`: as if the power had failed. */
  crashPostgres(): Promise<void>;
  /** On the same data and port. */
  restartPostgres(): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const postgres = await startOwnPostgres("crm-chaos-");
  const { folder, dataDir, secrets, databaseUrl } = postgres;
  const port = Number(new URL(databaseUrl).port);
  const binaries = await binariesFolder();
  const user = await systemUser([binaries, dataDir]);
  const receiver = await startReceiver(folder);
  let sql = openSql(databaseUrl, { max: 4 });
  const env = {
    ...receiver.env,
    SUPABASE_DB_URL: databaseUrl,
    DATABASE_URL: "",
    DATABASE_PREPARE: "true",
    WEBHOOK_ENCRYPTION_KEY: secrets.webhook_encryption_key,
  };

  const dispatchers = new Set<Dispatcher>();
  async function killDispatchers(): Promise<void> {
    await Promise.all([...dispatchers].map((dispatcher) => dispatcher.kill()));
  }
  return {
    folder,
    dataDir,
    get sql() {
      return sql;
    },
    receiver,
    env,
    spawnDispatcher(character = {}) {
      const dispatcher = spawnDispatcher(env, character, () => dispatchers.delete(dispatcher));
      dispatchers.add(dispatcher);
      return dispatcher;
    },
    killDispatchers,
    async crashPostgres() {
      // The driver's next query after a crash may wait for ever; what is on trial is the dispatcher's connections.
      await sql.end();
      const args = ["stop", "-m", "immediate", "-w", "-D", join(dataDir, "postgres")];
      const { success, output } = await run(join(binaries, "pg_ctl"), args, user);
      if (!success) throw new Error(`Postgres was not stopped: ${output}`);
    },
    async restartPostgres() {
      await startPostgres(dataDir, secrets, port);
      sql = openSql(databaseUrl, { max: 4 });
    },
    async close() {
      await killDispatchers();
      await sql.end({ timeout: 1 });
      await receiver.close();
      await postgres.close();
    },
  };
}
