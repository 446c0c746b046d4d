import type { Sql } from "postgres";
import { startPostgres, stopPostgres } from "../../local/postgres.ts";
import { connect, openWorld, type World } from "../harness/world.ts";
import { type CountingReceiver, startCountingReceiver } from "./arrivals.ts";
import { type Character, type Dispatcher, spawnDispatcher } from "./dispatcher.ts";

/**
 * A Postgres, a receiver and dispatchers. No gateway and no scheduler: nobody delivers but the dispatchers that a trial
 * starts, so nothing that it kills is made up for by another.
 */
export interface DeliveryWorld extends Omit<World, "sql"> {
  /** Another one after `restartPostgres`. */
  readonly sql: Sql;
  receiver: CountingReceiver;
  /** What the dispatcher's own modules read. */
  env: Record<string, string>;
  spawnDispatcher(character?: Character): Dispatcher;
  killDispatchers(): Promise<void>;
  /** `pg_ctl stop -m immediate`: as if the power had failed. */
  crashPostgres(): Promise<void>;
  /** On the same data and port. */
  restartPostgres(): Promise<void>;
}

const CONNECTIONS = 4;

export async function openDeliveryWorld(): Promise<DeliveryWorld> {
  const world = await openWorld({ max: CONNECTIONS });
  const { folder, dataDir, secrets, databaseUrl } = world;
  const receiver = await startCountingReceiver(folder);
  let sql: Sql = world.sql;
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
    ...world,
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
      await stopPostgres(dataDir, "immediate");
    },
    async restartPostgres() {
      await startPostgres(dataDir, secrets, Number(new URL(databaseUrl).port));
      sql = connect(databaseUrl, CONNECTIONS);
    },
    async [Symbol.asyncDispose]() {
      await killDispatchers();
      await sql.end({ timeout: 1 });
      await receiver.close();
      await world[Symbol.asyncDispose]();
    },
  };
}
