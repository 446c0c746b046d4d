import { join } from "node:path";

const SUPABASE = join(import.meta.dirname!, "../../supabase");

/** The present definition of the database, which people edit. */
export const SCHEMAS = join(SUPABASE, "schemas");

/** The released migrations, and the migration of the next release. */
export const MIGRATIONS = join(SUPABASE, "migrations");

/** The SHA-256 of every released migration, by its name. */
export const RELEASED = join(import.meta.dirname!, "released.json");

/** The names of a folder's SQL files, in the order in which they are applied. */
export async function sqlFiles(folder: string): Promise<string[]> {
  const files = await Array.fromAsync(Deno.readDir(folder));
  return files.map(({ name }) => name).filter((name) => name.endsWith(".sql")).sort();
}

/** A file that a task writes. */
export interface WrittenFile {
  path: string;
  text: string;
}

/** The file that is written beside a schema file: `31_companies_written.sql` beside `31_companies.sql`. */
export function writtenFile(beside: string, by: string, sql: string): WrittenFile {
  return {
    path: join(SCHEMAS, beside.replace(".sql", "_written.sql")),
    text: `-- Written by ${by}.\n\n${sql}\n`,
  };
}
