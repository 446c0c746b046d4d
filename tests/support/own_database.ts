import type { Sql } from "postgres";
import { migrate } from "../../run/local/migrate.ts";
import { startPostgres, superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { openSql } from "../../run/local/sql.ts";
import { makeStartedDataDir } from "./own_stack.ts";

/** A database with every migration and no scheduler. */
export interface OwnDatabase extends AsyncDisposable {
  /** A client as the owner, with one connection. */
  sql: Sql;
  /** The URL for the owner. */
  url: string;
  superuserUrl: string;
}

/** Starts a Postgres for one test. */
export async function startOwnDatabase(): Promise<OwnDatabase> {
  const dataDir = await makeStartedDataDir();
  const secrets = await loadSecrets(dataDir);
  const postgres = await startPostgres(dataDir, secrets);
  const sql = openSql(postgres.databaseUrl, { max: 1 });
  const database: OwnDatabase = {
    sql,
    url: postgres.databaseUrl,
    superuserUrl: superuserUrl(postgres.databaseUrl, secrets),
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 0 });
      await postgres.stop();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
  try {
    await migrate(sql);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return database;
}
