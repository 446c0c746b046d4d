import type { Sql } from "postgres";
import { startPostgres, stopPostgres } from "../../local/postgres.ts";
import { connect, openWorld, type World } from "../harness/world.ts";
import { type CountingReceiver, startCountingReceiver } from "./arrivals.ts";
import { type Dispatcher, type DispatcherOptions, spawnDispatcher } from "./dispatcher.ts";

/**
 * A Postgres, a receiver and dispatchers. There is no gateway and no scheduler, so that only the dispatchers that a trial
 * starts deliver, and none takes over from one that is killed.
 */
export interface DeliveryWorld extends Omit<World, "sql"> {
  /** Replaced by `restartPostgres`. */
  readonly sql: Sql;
  receiver: CountingReceiver;
  /** The environment of the dispatcher's modules. */
  env: Record<string, string>;
  spawnDispatcher(character?: DispatcherOptions): Dispatcher;
  killDispatchers(): Promise<void>;
  /** Stops Postgres with `immediate`, as a power failure would. */
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
    spawnDispatcher(options = {}) {
      const dispatcher = spawnDispatcher(env, options, () => dispatchers.delete(dispatcher));
      dispatchers.add(dispatcher);
      return dispatcher;
    },
    killDispatchers,
    async crashPostgres() {
      // This client could wait for ever after the crash. The trial tests the dispatchers' connections, not this one.
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
