import { join } from "node:path";
import { freePort } from "../../run/local/free_port.ts";
import { systemUser } from "../../run/local/postgres_binaries.ts";
import { eventually } from "./waiting.ts";

/**
 * Starts PgBouncer on a free loopback port, in transaction mode like the pooler that Supabase puts before Postgres.
 * @param folder for its configuration; readable by others, because PgBouncer does not run as root
 * @throws Error if it is not installed
 */
export async function startPgBouncer(databaseUrl: string, folder: string) {
  const pooled = new URL(databaseUrl);
  pooled.port = String(freePort());
  const file = join(folder, "pgbouncer.ini");
  const user = await systemUser([folder]);
  await Deno.writeTextFile(file, configuration(new URL(databaseUrl), pooled.port), { mode: 0o600 });
  if (user) await Deno.chown(file, user.uid, user.gid);

  // Debian installs PgBouncer in /usr/sbin, which is not on every user's PATH.
  const child = new Deno.Command("sh", {
    args: ["-c", 'PATH=$PATH:/usr/sbin; exec pgbouncer -q "$1"', "sh", file],
    ...(user && { uid: user.uid, gid: user.gid }),
    cwd: "/",
    stdin: "null",
    stdout: "null",
  }).spawn();
  let running = true;
  const ended = child.status.then(() => running = false);
  async function stop() {
    if (running) child.kill("SIGTERM");
    await ended;
  }
  try {
    await eventually(async () => {
      if (!running) {
        throw new Error(
          "PgBouncer did not start; see the error above (to install it: `apt-get install pgbouncer`)",
        );
      }
      const connecting = Deno.connect({ hostname: "127.0.0.1", port: Number(pooled.port) });
      return await connecting.then((connection) => (connection.close(), true), () => false);
    }, "PgBouncer to start");
  } catch (error) {
    await stop();
    throw error;
  }
  return { databaseUrl: pooled.href, [Symbol.asyncDispose]: stop };
}

/** Lets PgBouncer accept clients without a password: it listens only on loopback, and only for minutes. */
function configuration({ hostname, port, pathname, username, password }: URL, listenPort: string): string {
  const name = pathname.slice(1);
  const secret = decodeURIComponent(password).replaceAll("'", "''");
  return `
[databases]
${name} = host='${hostname}' port='${port}' dbname='${name}' user='${username}' password='${secret}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
`;
}
