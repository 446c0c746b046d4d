import { join } from "node:path";
import { createAuthority, issueCertificate } from "../../bench/harness/certificates.ts";
import { eventually } from "../../bench/harness/waiting.ts";
import { connect } from "../../bench/harness/world.ts";
import { startPostgres, superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { makeDataDir } from "./own_stack.ts";

/** Starts a Postgres with TLS, whose certificate is valid for `localhost` and not for 127.0.0.1. */
export async function startTlsPostgres() {
  const dataDir = await makeDataDir();
  const secrets = await loadSecrets(dataDir);
  const server = await startPostgres(dataDir, secrets);
  const authority = await createAuthority("Database authority");
  const { cert, key } = await issueCertificate(authority, ["localhost"]);
  const folder = join(dataDir, "postgres");
  const { uid, gid } = await Deno.stat(folder);
  for (const [name, text] of [["server.crt", cert], ["server.key", key]] as const) {
    await Deno.writeTextFile(join(folder, name), text, { mode: 0o600 });
    await Deno.chown(join(folder, name), uid, gid);
  }
  /** Switches TLS on or off for new connections. */
  async function setTls(state: "on" | "off"): Promise<void> {
    await using sql = connect(superuserUrl(server.databaseUrl, secrets));
    await sql.unsafe(`alter system set ssl = ${state}`);
    await sql`select pg_reload_conf()`;
    await eventually(
      async () => (await sql`show ssl`)[0]!["ssl"] === state,
      "the server to read its settings",
    );
  }
  await setTls("on");
  return {
    /** The URL with the host name that the certificate is for, without `sslmode`. */
    url: server.databaseUrl.replace("127.0.0.1", "localhost"),
    authority,
    setTls,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}
