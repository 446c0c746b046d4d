import { join } from "node:path";
import type { Sql } from "postgres";
import { freePort } from "../../run/local/free_port.ts";
import { run, systemUser } from "../../run/local/postgres_binaries.ts";

const BINARIES = "/usr/lib/postgresql/15/bin";

/** The settings that pg_cron needs. */
const CRON = ["shared_preload_libraries=pg_cron", "cron.database_name=postgres", "cron.host=127.0.0.1"];

/** Starts a Postgres 15 with Supabase's superuser `supabase_admin`, and by default with pg_cron. */
export async function startDebianPostgres(extra: readonly string[] = CRON) {
  const folder = await Deno.makeTempDir({ prefix: "crm-postgres15-" });
  const user = await systemUser([]);
  await Deno.chmod(folder, 0o755);
  const data = join(folder, "data");
  await Deno.mkdir(data, { mode: 0o700 });
  if (user) await Deno.chown(data, user.uid, user.gid);

  await must("initdb", [
    `--pgdata=${data}`,
    "--username=supabase_admin",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
  ]);
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=''",
    "log_min_messages=warning",
    ...extra,
  ];
  const log = join(data, "log");
  let port = freePort();
  const start = () =>
    must("pg_ctl", [
      "start",
      "-w",
      "-D",
      data,
      "-l",
      log,
      "-o",
      [`port=${port}`, ...settings].map((s) => `-c ${s}`).join(" "),
    ]);
  const kill = () => must("pg_ctl", ["stop", "-m", "immediate", "-w", "-D", data]);
  for (let starts = 1;; starts++) {
    try {
      await start();
      break;
    } catch (error) {
      const text = await Deno.readTextFile(log);
      // Another test may take the port before Postgres does.
      if (starts === 3 || !text.includes("could not bind")) throw new Error(text, { cause: error });
      port = freePort();
    }
  }

  async function must(program: string, args: string[]) {
    const { success, output } = await run(join(BINARIES, program), args, user);
    if (!success) throw new Error(`${program} failed: ${output}`);
  }
  const url = (role: string) => `postgresql://${role}@127.0.0.1:${port}/postgres`;
  return {
    port,
    start,
    /** Stops Postgres as a crash would. */
    kill,
    superuserUrl: url("supabase_admin"),
    url: url("postgres"),
    functionsDatabaseUrl: url("crm_functions"),
    async [Symbol.asyncDispose]() {
      await kill();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * As the superuser `admin`, creates the role `postgres` and the schema `extensions`, as Supabase does. By default also
 * creates pg_cron, and lets `postgres` use it.
 */
export async function prepareAsSupabase(admin: Sql, withCron = true): Promise<void> {
  const cron = withCron
    ? `create extension pg_cron;
      grant usage on schema cron to postgres;
      grant select, delete on cron.job, cron.job_run_details to postgres;`
    : "";
  await admin.unsafe(`
    create role postgres login createrole createdb replication bypassrls;
    grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
    alter database postgres owner to postgres;
    create schema extensions;
    ${cron}
    alter database postgres set search_path = public, extensions;
    grant usage on schema extensions to postgres;
  `);
}
