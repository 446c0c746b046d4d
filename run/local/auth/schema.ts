import type { Sql } from "postgres";
import { editedFile } from "../migrate.ts";
import { sha256 } from "../../../supabase/functions/_shared/runtime/sha256.ts";

const FILE = new URL("schema.sql", import.meta.url);
/** The comment on schema auth begins with this text if schema.sql created the schema. */
const OURS = "Local sign-in";

/**
 * Creates schema auth if the database has none.
 * @param remedy what the error tells the user to do
 * @returns false, without a change, if something else created the schema, such as a Supabase project
 * @throws StackError if schema.sql was edited after it created the schema.
 */
export async function installAuthSchema(sql: Sql, remedy = "use another database"): Promise<boolean> {
  const text = await Deno.readTextFile(FILE);
  const comment = `${OURS} ${sha256(text)}`;
  return await sql.begin(async (sql) => {
    // Locked, because two stacks may start on one database at the same time.
    await sql`select pg_advisory_xact_lock(hashtext('run/local/auth/schema.sql'))`;
    const [schema] = await sql`
      select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = 'auth'
    `;
    if (!schema) {
      await sql.unsafe(`${text}; comment on schema auth is '${comment}';`);
      return true;
    }
    if (schema["comment"] === comment) return true;
    if (schema["comment"]?.startsWith(OURS)) throw editedFile("run/local/auth/schema.sql", remedy);
    return false;
  });
}
