import type { Sql } from "postgres";

/** The file that creates the schema. */
export const AUTH_SCHEMA = new URL("schema.sql", import.meta.url);
/** The comment of the schema that schema.sql creates. Supabase's own schema auth has another, or none. */
const OURS = "Local sign-in";

/**
 * Creates schema auth if the database has none.
 * @returns false if it has one that schema.sql did not create, such as that of a Supabase project, which stays untouched.
 */
export async function installAuthSchema(sql: Sql): Promise<boolean> {
  const text = await Deno.readTextFile(AUTH_SCHEMA);
  return await sql.begin(async (sql) => {
    // Two stacks may start on one database at the same time.
    await sql`select pg_advisory_xact_lock(hashtext('local/auth/schema.sql'))`;
    const [schema] = await sql`
      select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = 'auth'
    `;
    if (schema) return schema["comment"] === OURS;
    await sql.unsafe(text);
    return true;
  });
}
