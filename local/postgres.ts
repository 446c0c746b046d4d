import { join } from "node:path";
import { freePort } from "./free_port.ts";
import { binariesFolder, run, type SystemUser, systemUser } from "./postgres_binaries.ts";
import type { Secrets } from "./secrets.ts";
import { openSql } from "./sql.ts";
import { StackError } from "./stack_error.ts";

/** As on Supabase: the superuser is not the role that migrates and connects. */
const SUPERUSER = "supabase_admin";
const START_ATTEMPTS = 10;

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_preload_libraries: "pg_stat_statements",
  track_functions: "none",
  timezone: "UTC",
  log_timezone: "UTC",
};

export interface Postgres {
  /** Connection of role `postgres` to database `postgres`. */
  databaseUrl: string;
  /** Ends every connection and shuts down cleanly. */
  stop(): Promise<void>;
}

/** Of pg_ctl. */
type StopMode = "fast" | "immediate";

/** One embedded Postgres: its binaries, its data, and the user who may touch both. */
interface Cluster {
  binaries: string;
  folder: string;
  log: string;
  /** null for the present one. */
  user: SystemUser | null;
}

/**
 * Starts the embedded Postgres of a data folder, making its database at the first start. One that a killed stack left
 * running is shut down first.
 *
 * It is run by pg_ctl, which sets it apart from the terminal: Ctrl-C reaches the stack alone, and the stack closes
 * what uses the database before the database.
 * @param port Port to listen on (127.0.0.1 only); any free one when absent.
 * @throws StackError where it does not start.
 */
export async function startPostgres(dataDir: string, secrets: Secrets, port?: number): Promise<Postgres> {
  const cluster = await openCluster(dataDir);
  await stopLeftover(cluster);
  await initialise(cluster, dataDir, secrets);
  const usedPort = await start(cluster, port);
  await createRoles(usedPort, secrets);
  return {
    databaseUrl: connection("postgres", secrets.postgres_password, usedPort),
    stop: () => stop(cluster),
  };
}

/** The same connection as the superuser, whom the functions never are. */
export function superuserUrl(databaseUrl: string, { superuser_password }: Secrets): string {
  const url = new URL(databaseUrl);
  url.username = SUPERUSER;
  url.password = superuser_password;
  return url.href;
}

/**
 * Shuts down the embedded Postgres of a data folder, whoever started it.
 * @param mode `immediate` is as if the power had failed.
 */
export async function stopPostgres(dataDir: string, mode: StopMode = "fast"): Promise<void> {
  await stopLeftover(await openCluster(dataDir), mode);
}

async function openCluster(dataDir: string): Promise<Cluster> {
  const binaries = await binariesFolder();
  // The name under which Postgres itself will know it.
  const folder = await Deno.realPath(dataDir);
  return {
    binaries,
    folder: join(folder, "postgres"),
    log: join(folder, "postgres.log"),
    user: await systemUser([binaries, folder]),
  };
}

async function initialise(
  { binaries, folder, log, user }: Cluster,
  dataDir: string,
  secrets: Secrets,
): Promise<void> {
  await Deno.writeTextFile(log, "", { append: true, mode: 0o600 });
  const passwordFile = join(dataDir, "initdb-password");
  const partial = `${folder}.partial`;
  if (await exists(folder)) return;
  // An initdb that was killed leaves half a folder; under its final name it would pass for a whole one.
  await Deno.remove(partial, { recursive: true }).catch(() => {});
  await Deno.mkdir(partial, { mode: 0o700 });
  await Deno.writeTextFile(passwordFile, secrets.superuser_password, { mode: 0o600 });
  if (user) {
    for (const path of [log, partial, passwordFile]) await Deno.chown(path, user.uid, user.gid);
  }
  const { success, output } = await run(join(binaries, "initdb"), [
    `--pgdata=${partial}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // C.UTF-8 as on Supabase, from Postgres itself: the machine need not have the locale.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
  ], user);
  await Deno.remove(passwordFile);
  if (!success) throw new StackError(`Postgres could not make its database: ${lastError(output)}`);
  await Deno.rename(partial, folder);
}

async function start(cluster: Cluster, wantedPort: number | undefined): Promise<number> {
  for (let attempt = 1;; attempt++) {
    const port = wantedPort ?? freePort();
    const logged = (await Deno.stat(cluster.log)).size;
    const settings = Object.entries({ port, ...SETTINGS }).map(([name, value]) => `-c ${name}=${value}`).join(
      " ",
    );
    const { success } = await pgCtl(cluster, ["start", "-w", "-l", cluster.log, "-o", settings]);
    if (success) return port;
    const log = (await Deno.readTextFile(cluster.log)).slice(logged);
    // The port may have been taken since; backends of a killed Postgres may still be on their way out.
    const passing = /could not bind|shared memory block .* still in use/.test(log);
    if (!passing || attempt === START_ATTEMPTS) {
      throw new StackError(`Postgres did not start: ${lastError(log)} (see ${cluster.log})`);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
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
  if (!await exists(pidFile)) return;
  if (await runningPostmaster(cluster) !== null) return await stop(cluster, mode);
  // Postgres would wait for whoever has the process number now; that it is not a Postgres was just seen.
  await Deno.remove(pidFile).catch(() => {});
}

/** Process of the Postgres that runs on the folder; null where the number in postmaster.pid belongs to another. */
async function runningPostmaster({ folder }: Cluster): Promise<number | null> {
  const text = await Deno.readTextFile(join(folder, "postmaster.pid")).catch(() => "");
  const pid = parseInt(text);
  if (!(pid > 0)) return null;
  const command = await Deno.readTextFile(`/proc/${pid}/cmdline`)
    .catch(async () => (await run("ps", ["-o", "command=", "-p", String(pid)])).output);
  return command.includes("postgres") && command.includes(folder) ? pid : null;
}

/** Gives the database to a `postgres` that is no superuser, with the rights it has on Supabase. */
async function createRoles(port: number, secrets: Secrets): Promise<void> {
  const sql = openSql(connection(SUPERUSER, secrets.superuser_password, port), { max: 1 });
  try {
    if ((await sql`select from pg_roles where rolname = 'postgres'`).length > 0) return;
    await sql.begin(async (sql) => {
      await sql.unsafe(`
        create role postgres login createrole createdb replication bypassrls password '${secrets.postgres_password}';
        grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
        alter database postgres owner to postgres;
        alter schema public owner to postgres;
        create schema extensions authorization postgres;
        create extension pg_stat_statements schema extensions;
      `);
    });
  } finally {
    await sql.end();
  }
}

function pgCtl({ binaries, folder, user }: Cluster, args: string[]) {
  return run(join(binaries, "pg_ctl"), [...args, "-D", folder], user);
}

function connection(role: string, password: string, port: number): string {
  return `postgresql://${role}:${password}@127.0.0.1:${port}/postgres`;
}

/** The line of a log that says why. */
function lastError(log: string): string {
  const lines = log.trim().split("\n");
  return (lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? "").trim();
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
