import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { runFile, withDatabase } from "./database.ts";
import { SCHEMAS, sqlFiles, type WrittenFile } from "./folder.ts";
import { migrationFiles } from "./migrations.ts";
import { rightsFile } from "./rights_file.ts";
import { type State, stateOf } from "./state.ts";

/** The files that `deno task schema` writes: the rights of verbs, and the migration that is not released. */
export function schemaFiles(): Promise<WrittenFile[]> {
  return withSchema(async (database, rights) => [
    rights,
    ...await migrationFiles(await schemaTexts(rights), () => stateOf(database)),
  ]);
}

/** What the schema files create. */
export function presentState(): Promise<State> {
  return withSchema(stateOf);
}

/** Runs `work` with a database that has every schema file, and with the newly computed file of rights. */
function withSchema<T>(work: (database: PGlite, rights: WrittenFile) => Promise<T>): Promise<T> {
  return withDatabase(async (database) => {
    for (const [name, sql] of await schemaTexts()) await runFile(database, name, sql);
    const rights = await rightsFile(database);
    await runFile(database, rights.path, rights.text);
    return await work(database, rights);
  });
}

/** The texts of the schema files by their names, in order: with the newly computed rights, or without rights. */
async function schemaTexts(rights?: WrittenFile): Promise<[name: string, sql: string][]> {
  const texts: [string, string][] = [];
  for (const name of await sqlFiles(SCHEMAS)) {
    const path = join(SCHEMAS, name);
    if (!name.endsWith("_rights_written.sql")) texts.push([name, await Deno.readTextFile(path)]);
  }
  if (rights !== undefined) texts.push([rights.path.slice(SCHEMAS.length + 1), rights.text]);
  return texts.sort(([a], [b]) => a < b ? -1 : 1);
}
