import { migrate } from "../../run/local/migrate.ts";
import { startPostgres, superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import { makeStartedDataDir } from "./own_stack.ts";

/** Starts a Postgres for one test, with every migration and no scheduler. `sql` is the owner's only connection. */
export async function startOwnDatabase() {
  const dataDir = await makeStartedDataDir();
  const secrets = await loadSecrets(dataDir);
  const { databaseUrl: url, stop } = await startPostgres(dataDir, secrets);
  const sql = openSql(url, { max: 1 });
  await migrate(sql);
  return {
    sql,
    url,
    superuserUrl: superuserUrl(url, secrets),
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 0 });
      await stop();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}
