import { join } from "node:path";
import type { Sql } from "postgres";
import { openDataDir } from "../local/data_dir.ts";
import { migrate } from "../local/migrate.ts";
import { startPostgres, stopPostgres } from "../local/postgres.ts";
import { binariesFolder, run, systemUser } from "../local/postgres_binaries.ts";
import { loadSecrets } from "../local/secrets.ts";
import { openSql } from "../local/sql.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** A dispatcher that can be killed. */
export interface Dispatcher {
  /** What it has logged so far. */
  output(): string;
  /** True once it delivers. */
  ready(): boolean;
  /** `kill -9`, and waits for the end. */
  kill(): Promise<void>;
  /** Whether it is gone, by `kill` or by itself. */
  ended(): boolean;
}

/**
 * What the figures run on: a Postgres and a receiver of their own. No gateway and no scheduler: nobody delivers but
 * the dispatchers that a figure starts, so nothing that it kills is made up for by another.
 */
export interface World {
  /** Temporary; for whatever a figure keeps. */
  folder: string;
  /** Another one after `restartPostgres`. */
  readonly sql: Sql;
  receiver: Receiver;
  spawnDispatcher(clockErrorMs?: number): Dispatcher;
  killDispatchers(): Promise<void>;
  /** `pg_ctl stop -m immediate`: as if the power had failed. */
  crashPostgres(): Promise<void>;
  /** On the same data and port. */
  restartPostgres(): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const folder = await Deno.makeTempDir({ prefix: "crm-chaos-" });
  // As root, the Postgres in it runs as another user.
  await Deno.chmod(folder, 0o711);
  const dataDir = join(folder, "data");
  const lock = await openDataDir(dataDir);
  const secrets = await loadSecrets(dataDir);
  const receiver = await startReceiver(folder);
  const { databaseUrl } = await startPostgres(dataDir, secrets);
  const port = Number(new URL(databaseUrl).port);
  let sql = openSql(databaseUrl, { max: 4 });
  await migrate(sql, databaseUrl);

  const env = {
    ...receiver.env,
    SUPABASE_DB_URL: databaseUrl,
    DATABASE_URL: "",
    DATABASE_PREPARE: "true",
    WEBHOOK_ENCRYPTION_KEY: secrets.webhook_encryption_key,
  };
  // For the figures that call the queue themselves.
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);

  const dispatchers = new Set<Dispatcher>();
  async function killDispatchers(): Promise<void> {
    await Promise.all([...dispatchers].map((dispatcher) => dispatcher.kill()));
  }
  return {
    folder,
    get sql() {
      return sql;
    },
    receiver,
    spawnDispatcher(clockErrorMs = 0) {
      const dispatcher = spawnDispatcher(env, clockErrorMs, () => dispatchers.delete(dispatcher));
      dispatchers.add(dispatcher);
      return dispatcher;
    },
    killDispatchers,
    async crashPostgres() {
      // The driver's next query after a crash may wait for ever; what is on trial is the dispatcher's connections.
      await sql.end();
      const binaries = await binariesFolder();
      const data = join(dataDir, "postgres");
      const user = await systemUser([binaries, dataDir]);
      const args = ["stop", "-m", "immediate", "-w", "-D", data];
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
      await stopPostgres(dataDir);
      await receiver.close();
      lock.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

function spawnDispatcher(env: Record<string, string>, clockErrorMs: number, onEnd: () => void): Dispatcher {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(import.meta.dirname!, "dispatcher.ts"), String(clockErrorMs)],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let output = "";
  let over = false;
  const collected = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) output += text;
  })();
  const status = child.status.then(() => {
    over = true;
    onEnd();
  });
  return {
    output: () => output,
    ready: () => output.startsWith("ready"),
    ended: () => over,
    async kill() {
      if (!over) child.kill("SIGKILL");
      await Promise.all([status, collected]);
    },
  };
}
