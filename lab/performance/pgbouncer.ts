import { join } from "node:path";
import { freePort } from "../../local/free_port.ts";
import { systemUser } from "../../local/postgres_binaries.ts";

/** Where a connection pooler answers, as Supabase puts one before the functions. */
export interface PgBouncer {
  databaseUrl: string;
  stop(): Promise<void>;
}

/** The second is where Debian has it, which is not on everybody's path. */
const PROGRAMS = ["pgbouncer", "/usr/sbin/pgbouncer"];
const START_MS = 10_000;

/**
 * Starts PgBouncer in transaction mode on a free loopback port.
 * @param folder for its configuration; open to others, for as root it runs as another user.
 * @throws Error where it is not installed.
 */
export async function startPgBouncer(databaseUrl: string, folder: string): Promise<PgBouncer> {
  const database = new URL(databaseUrl);
  const pooled = new URL(databaseUrl);
  pooled.port = String(freePort());
  const file = join(folder, "pgbouncer.ini");
  const user = await systemUser([folder]);
  await Deno.writeTextFile(file, configuration(database, pooled.port), { mode: 0o600 });
  if (user) await Deno.chown(file, user.uid, user.gid);

  const child = spawn(["-q", file], user ? { uid: user.uid, gid: user.gid } : {});
  try {
    await answers(Number(pooled.port), child);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    databaseUrl: pooled.href,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

/** Whether there is one on this machine. */
export async function isPgBouncerInstalled(): Promise<boolean> {
  try {
    return (await spawn(["--version"], {}).status).success;
  } catch {
    return false;
  }
}

/** Whoever connects is let in, as the one user that the database is entered by: it is on loopback, for minutes. */
function configuration({ hostname, port, pathname, username, password }: URL, listenPort: string): string {
  const name = pathname.slice(1);
  const settings = {
    host: hostname,
    port,
    dbname: name,
    user: username,
    password: decodeURIComponent(password),
  };
  const words = Object.entries(settings).map(([key, value]) => `${key}='${value.replaceAll("'", "''")}'`);
  return `
[databases]
${name} = ${words.join(" ")}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
`;
}

function spawn(args: string[], user: { uid?: number; gid?: number }): Deno.ChildProcess {
  for (const program of PROGRAMS) {
    try {
      return new Deno.Command(program, { args, ...user, cwd: "/", stdin: "null", stdout: "null" }).spawn();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Error("PgBouncer is not installed: run `apt-get install pgbouncer`");
}

async function answers(port: number, child: Deno.ChildProcess): Promise<void> {
  let ended = false;
  child.status.then(() => ended = true);
  const deadline = performance.now() + START_MS;
  while (!ended && performance.now() < deadline) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("PgBouncer did not start; why, is above");
}
