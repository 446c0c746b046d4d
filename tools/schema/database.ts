import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";

export const MIGRATIONS = join(import.meta.dirname!, "../../supabase/migrations");

/** The migration whose written sections follow from all others. */
export const RIGHTS = "20261120009000_rights.sql";

/** The schemas that the migrations create. */
export const SCHEMAS = ["crm", "api", "app"];

/** Creates an empty Postgres database in this process. */
export function createDatabase(): Promise<PGlite> {
  return PGlite.create({ extensions: { pg_trgm } });
}

/** Applies every migration except the rights. */
export async function applyMigrations(database: PGlite): Promise<void> {
  const files = await Array.fromAsync(Deno.readDir(MIGRATIONS));
  for (const name of files.map(({ name }) => name).sort()) {
    if (name !== RIGHTS) await database.exec(await Deno.readTextFile(join(MIGRATIONS, name)));
  }
}
