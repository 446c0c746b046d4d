import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";

const MIGRATIONS = join(import.meta.dirname!, "../../supabase/migrations");

/** The schemas that the migrations make. */
export const SCHEMAS = ["crm", "api", "app"];

/** A Postgres in this process, with every migration: what pg_dump and the catalogue are asked of. */
export async function migratedDatabase(): Promise<PGlite> {
  const database = await PGlite.create();
  const files = await Array.fromAsync(Deno.readDir(MIGRATIONS));
  for (const name of files.map(({ name }) => name).sort()) {
    await database.exec(await Deno.readTextFile(join(MIGRATIONS, name)));
  }
  return database;
}
