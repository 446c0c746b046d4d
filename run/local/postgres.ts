import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free_port.ts";
import { binariesFolder, run, type SystemUser, systemUser } from "./postgres_binaries.ts";
import type { Secrets } from "./secrets.ts";
import { openSql } from "./sql.ts";
import { StackError } from "./stack_error.ts";

/** As on Supabase, the superuser is not the role that applies the migrations. */
const SUPERUSER = "supabase_admin";
const MAX_STARTS = 10;
const PAUSE_MS = 300;

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_preload_libraries: "pg_stat_statements",
  track_functions: "none",
  timezone: "UTC",
  log_timezone: "UTC",
};

export interface Postgres {
  /** The URL of the database `postgres` for the role `postgres`. */
  databaseUrl: string;
  /** Ends all connections and shuts down cleanly. */
  stop(): Promise<void>;
}

type StopMode = "fast" | "immediate";

/** An embedded Postgres: its binaries, its data, and the system user as whom it runs. */
interface Cluster {
  binaries: string;
  folder: string;
  log: string;
  /** A file that exists until the roles are created. If it is absent, a start need not ask Postgres for the roles. */
  withoutRoles: string;
  /** Null: the user of this process. */
  user: SystemUser | null;
}

/**
 * Starts the embedded Postgres on a data folder. The first start creates its database. If a killed stack left a
 * Postgres running, shuts that Postgres down first.
 *
 * pg_ctl detaches Postgres from the terminal, so that Ctrl-C reaches only the stack, which stops the database last.
 * @param port of 127.0.0.1; absent: any free port
 * @throws StackError if Postgres does not start.
 */
export async function startPostgres(dataDir: string, secrets: Secrets, port?: number): Promise<Postgres> {
  const cluster = await openCluster(dataDir);
  await stopLeftover(cluster);
  await initialise(cluster, dataDir, secrets);
  const usedPort = await start(cluster, port);
  if (existsSync(cluster.withoutRoles)) {
    await createRoles(usedPort, secrets);
    await Deno.remove(cluster.withoutRoles);
  }
  return {
    databaseUrl: connection("postgres", secrets.postgres_password, usedPort),
    stop: () => stop(cluster),
  };
}

/** The same database's URL for the superuser. */
export function superuserUrl(databaseUrl: string, { superuser_password }: Secrets): string {
  const url = new URL(databaseUrl);
  url.username = SUPERUSER;
  url.password = superuser_password;
  return url.href;
}

/**
 * Shuts down the embedded Postgres on a data folder, even if another process started it.
 * @param mode `immediate` stops it without a checkpoint, like a power failure
 */
export async function stopPostgres(dataDir: string, mode: StopMode = "fast"): Promise<void> {
  await stopLeftover(await openCluster(dataDir), mode);
}

async function openCluster(dataDir: string): Promise<Cluster> {
  const binaries = await binariesFolder();
  // The real path, which runningPostmaster compares with the command line of Postgres.
  const folder = await Deno.realPath(dataDir);
  return {
    binaries,
    folder: join(folder, "postgres"),
    log: join(folder, "postgres.log"),
    withoutRoles: join(folder, "postgres-without-roles"),
    user: await systemUser([binaries, folder]),
  };
}

async function initialise(
  { binaries, folder, log, withoutRoles, user }: Cluster,
  dataDir: string,
  secrets: Secrets,
): Promise<void> {
  await Deno.writeTextFile(log, "", { append: true, mode: 0o600 });
  // At each start, because a person may have deleted the log.
  if (user) await Deno.chown(log, user.uid, user.gid);
  const passwordFile = join(dataDir, "initdb-password");
  const partial = `${folder}.partial`;
  if (existsSync(folder)) return;
  // A killed initdb leaves an incomplete folder, which must never have the final name.
  await Deno.remove(partial, { recursive: true }).catch(() => {});
  await Deno.mkdir(partial, { mode: 0o700 });
  await Deno.writeTextFile(withoutRoles, "", { mode: 0o600 });
  await Deno.writeTextFile(passwordFile, secrets.superuser_password, { mode: 0o600 });
  if (user) {
    for (const path of [partial, passwordFile]) await Deno.chown(path, user.uid, user.gid);
  }
  const { success, output } = await run(join(binaries, "initdb"), [
    `--pgdata=${partial}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // C.UTF-8 as on Supabase, but built into Postgres, because the machine may lack the locale.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
  ], user);
  await Deno.remove(passwordFile);
  if (!success) throw new StackError(`Postgres could not create its database: ${lastError(output)}`);
  await Deno.rename(partial, folder);
}

async function start(cluster: Cluster, wantedPort: number | undefined): Promise<number> {
  for (let starts = 1;; starts++) {
    const port = wantedPort ?? freePort();
    const logged = (await Deno.stat(cluster.log)).size;
    const settings = Object.entries({ port, ...SETTINGS }).map(([name, value]) => `-c ${name}=${value}`).join(
      " ",
    );
    const { success, output } = await pgCtl(cluster, ["start", "-w", "-l", cluster.log, "-o", settings]);
    if (success) return port;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    // A signal to the whole process group, for example from a closing terminal, ends pg_ctl but not its Postgres.
    await stopLeftover(cluster);
    const log = (await Deno.readTextFile(cluster.log)).slice(logged);
    // Worth another try: another process took the port, or backends of a killed Postgres are still running.
    const temporary = /could not bind|shared memory block .* still in use/.test(log);
    if (!temporary || starts === MAX_STARTS) {
      throw new StackError(`Postgres did not start: ${lastError(log || output)} (see ${cluster.log})`);
    }
  }
}

async function stop(cluster: Cluster, mode: StopMode = "fast"): Promise<void> {
  const { success, output } = await pgCtl(cluster, ["stop", "-m", mode, "-w"]);
  if (!success && await runningPostmaster(cluster) !== null) {
    throw new StackError(`Postgres did not stop: ${lastError(output)} (see ${cluster.log})`);
  }
}

async function stopLeftover(cluster: Cluster, mode?: StopMode): Promise<void> {
  const pidFile = join(cluster.folder, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  if (await runningPostmaster(cluster) !== null) return await stop(cluster, mode);
  // Postgres refuses to start while any process has the id in this file, also a process of another program.
  await Deno.remove(pidFile).catch(() => {});
}

/** The process id of the Postgres on the folder; null if the id in postmaster.pid belongs to another program. */
async function runningPostmaster({ folder }: Cluster): Promise<number | null> {
  const text = await Deno.readTextFile(join(folder, "postmaster.pid")).catch(() => "");
  const pid = parseInt(text);
  if (!(pid > 0)) return null;
  const command = await Deno.readTextFile(`/proc/${pid}/cmdline`)
    .catch(async () => (await run("ps", ["-o", "command=", "-p", String(pid)])).output);
  return command.includes("postgres") && command.includes(folder) ? pid : null;
}

/** Creates the role `postgres` as owner of the database, with the rights that it has on Supabase: not a superuser. */
async function createRoles(port: number, secrets: Secrets): Promise<void> {
  await using sql = openSql(connection(SUPERUSER, secrets.superuser_password, port), { max: 1 });
  if ((await sql`select from pg_roles where rolname = 'postgres'`).length > 0) return;
  await sql.begin((sql) =>
    sql.unsafe(`
      create role postgres login createrole createdb replication bypassrls password '${secrets.postgres_password}';
      grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
      alter database postgres owner to postgres;
      alter schema public owner to postgres;
      create schema extensions authorization postgres;
      create extension pg_stat_statements schema extensions;
    `)
  );
}

function pgCtl({ binaries, folder, user }: Cluster, args: string[]) {
  return run(join(binaries, "pg_ctl"), [...args, "-D", folder], user);
}

function connection(role: string, password: string, port: number): string {
  return `postgresql://${role}:${password}@127.0.0.1:${port}/postgres`;
}

/** The line of a log with the reason for a failure. */
function lastError(log: string): string {
  const lines = log.trim().split("\n");
  return (lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? "").trim();
}
