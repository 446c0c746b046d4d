import { join } from "node:path";
import { type Authority, createAuthority, issueCertificate } from "../../bench/harness/certificates.ts";
import { eventually } from "../../bench/harness/waiting.ts";
import { startPostgres, superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import { makeDataDir } from "./own_stack.ts";

/** A Postgres with TLS, whose certificate is valid for `localhost` and not for 127.0.0.1. */
export interface TlsPostgres extends AsyncDisposable {
  /** The URL with the host name that the certificate is for, without `sslmode`. */
  url: string;
  authority: Authority;
  /** Switches TLS on or off for new connections; it is on at first. */
  offerTls(offered: boolean): Promise<void>;
}

export async function startTlsPostgres(): Promise<TlsPostgres> {
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
  async function offerTls(offered: boolean): Promise<void> {
    const sql = openSql(superuserUrl(server.databaseUrl, secrets), { max: 1 });
    try {
      await sql.unsafe(`alter system set ssl = ${offered ? "on" : "off"}`);
      await sql`select pg_reload_conf()`;
      await eventually(
        async () => (await sql`show ssl`)[0]!["ssl"] === (offered ? "on" : "off"),
        "the server to read its settings",
      );
    } finally {
      await sql.end();
    }
  }
  await offerTls(true);
  return {
    url: server.databaseUrl.replace("127.0.0.1", "localhost"),
    authority,
    offerTls,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}
