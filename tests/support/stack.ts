import { connect } from "../../bench/harness/world.ts";
import { functionsDatabaseUrl as urlOfFunctions } from "../../run/local/functions_login.ts";
import { superuserUrl } from "../../run/local/postgres.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { readStackFile } from "../../run/local/stack_file.ts";

/** Folder of the shared stack. */
export const dataDir = Deno.env.get("DATA_DIR") ?? ".local";

/** The addresses of the shared stack, its demo key, and how its demo member signs in. */
export const stack = await readStackFile(dataDir);

/** The URL of the shared stack's functions: `<origin>/functions/v1`. */
export const baseUrl = stack.base_url;

/** Connection of role `postgres`. */
export const databaseUrl = stack.database_url;

/** Connection of role `crm_functions`, as the functions connect. */
export const functionsDatabaseUrl = urlOfFunctions(databaseUrl, await loadSecrets(dataDir));

/** A client of the shared stack's database, as role `postgres`; closed when the scope ends (`await using`). */
export const openDatabase = (max = 1) => connect(databaseUrl, max);

/** Like openDatabase, as the superuser and without triggers, so that thousands of inserted rows emit no events. */
export async function openWithoutTriggers() {
  const sql = connect(superuserUrl(databaseUrl, await loadSecrets(dataDir)));
  await sql`set session_replication_role = replica`;
  return sql;
}
