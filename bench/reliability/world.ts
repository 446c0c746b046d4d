import type { Sql } from "postgres";
import { startPostgres, stopPostgres } from "../../run/local/postgres.ts";
import { connect, openWorld } from "../harness/world.ts";
import { startCountingReceiver } from "./arrivals.ts";
import { type Dispatcher, type DispatcherOptions, spawnDispatcher } from "./dispatcher.ts";

const CONNECTIONS = 4;

export type DeliveryWorld = Awaited<ReturnType<typeof openDeliveryWorld>>;

/**
 * Starts a Postgres and a receiver. There is no gateway and no scheduler, so only the dispatchers that a trial starts
 * send deliveries, and nothing else takes over from a killed dispatcher.
 */
export async function openDeliveryWorld() {
  const world = await openWorld({ max: CONNECTIONS });
  const { folder, dataDir, secrets, databaseUrl, functionsDatabaseUrl } = world;
  const receiver = await startCountingReceiver(folder);
  let sql: Sql = world.sql;
  const env = {
    ...receiver.env,
    DATABASE_URL: functionsDatabaseUrl,
    DATABASE_PREPARE: "true",
    WEBHOOK_ENCRYPTION_KEY: secrets.webhook_encryption_key,
  };
  const dispatchers = new Set<Dispatcher>();
  const closing: (() => PromiseLike<unknown>)[] = [];
  async function killDispatchers(): Promise<void> {
    await Promise.all([...dispatchers].map((dispatcher) => dispatcher.kill()));
  }
  return {
    ...world,
    get sql(): Sql {
      return sql;
    },
    receiver,
    env,
    /** Called when the world closes: functions that close what several trials share. */
    closing,
    spawnDispatcher(options: DispatcherOptions = {}): Dispatcher {
      const dispatcher = spawnDispatcher(env, options, () => dispatchers.delete(dispatcher));
      dispatchers.add(dispatcher);
      return dispatcher;
    },
    killDispatchers,
    /** Stops Postgres with `immediate`, as a power failure would. */
    async crashPostgres() {
      // Ends this client, which could wait for ever after the crash. Only the dispatchers' connections are tested.
      await sql.end();
      await stopPostgres(dataDir, "immediate");
    },
    async restartPostgres() {
      await startPostgres(dataDir, secrets, Number(new URL(databaseUrl).port));
      sql = connect(databaseUrl, CONNECTIONS);
    },
    async [Symbol.asyncDispose]() {
      await killDispatchers();
      for (const close of closing) await close();
      await sql.end({ timeout: 1 });
      await receiver.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

export interface Sizes {
  short: boolean;
  minutes: number;
}

export interface Verdict {
  ok: boolean;
  measured: string;
}

export interface Trial {
  /** The number of its figure in docs/reliability.md. */
  number: number;
  target: string;
  /** Whether its target is a time, which a busy machine may miss. A short run then tries up to three times. */
  timed?: true;
  /** Whether a short run puts the trial in the second lane, in which no trial crashes Postgres. */
  apart?: true;
  run(world: DeliveryWorld, sizes: Sizes): Promise<Verdict>;
}
