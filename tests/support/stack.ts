import { openSql } from "../../run/local/sql.ts";
import { functionsDatabaseUrl as urlOfFunctions } from "../../run/local/functions_login.ts";
import { superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { readStackFile } from "../../run/local/stack_file.ts";

const stack = await readStackFile(Deno.env.get("DATA_DIR") ?? ".local");

/** The URL of the shared stack's functions: `<origin>/functions/v1`. */
export const baseUrl = stack.base_url;

/** Connection of role `postgres`. */
export const databaseUrl = stack.database_url;

/** Folder of the shared stack. */
export const dataDir = Deno.env.get("DATA_DIR") ?? ".local";

/** Connection of role `crm_functions`, as the functions connect. */
export const functionsDatabaseUrl = urlOfFunctions(databaseUrl, await loadSecrets(dataDir));

/** A client of the shared stack's database, as role `postgres`; closed when the scope ends (`await using`). */
export function openDatabase(max = 1) {
  const sql = openSql(databaseUrl, { max });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end() });
}

/**
 * Like openDatabase, as the superuser and without triggers, so that thousands of inserted rows emit no events.
 */
export async function openWithoutTriggers() {
  const sql = openSql(superuserUrl(databaseUrl, await loadSecrets(dataDir)), { max: 1 });
  await sql`set session_replication_role = replica`;
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end() });
}
