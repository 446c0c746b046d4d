import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";

const MIGRATIONS = join(import.meta.dirname!, "../../supabase/migrations");

/** The schemas that the migrations create. */
export const SCHEMAS = ["crm", "api", "app"];

/** Creates a Postgres database in this process and applies every migration to it. */
export async function createMigratedDatabase(): Promise<PGlite> {
  const database = await PGlite.create();
  const files = await Array.fromAsync(Deno.readDir(MIGRATIONS));
  for (const name of files.map(({ name }) => name).sort()) {
    await database.exec(await Deno.readTextFile(join(MIGRATIONS, name)));
  }
  return database;
}
