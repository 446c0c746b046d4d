import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { withVerbFunctions } from "../rights/section.ts";
import { readVerbRights, VERB_ROLES, type VerbRole } from "../rights/verb_rights.ts";
import { applyMigrations, createDatabase, MIGRATIONS, RIGHTS } from "./database.ts";
import { schemaSql } from "./schema_sql.ts";

const RIGHTS_FILE = join(MIGRATIONS, RIGHTS);

/** The migration of rights, as it should be. */
export function rightsFile(): Promise<{ file: string; text: string }> {
  return withSchema((_, text) => Promise.resolve({ file: RIGHTS_FILE, text }));
}

/** The whole schema as pg_dump prints it. */
export function schemaDump(): Promise<string> {
  return withSchema(schemaSql);
}

/** Runs `work` with a database that has every migration, and with the text of the rights. */
async function withSchema<T>(work: (database: PGlite, rights: string) => Promise<T>): Promise<T> {
  const database = await createDatabase();
  try {
    await applyMigrations(database);
    let rights = await Deno.readTextFile(RIGHTS_FILE);
    for (const role of Object.keys(VERB_ROLES) as VerbRole[]) {
      const needed = await readVerbRights(async (text) => (await database.query<object>(text)).rows, role);
      rights = withVerbFunctions(rights, role, needed);
    }
    await database.exec(rights);
    return await work(database, rights);
  } finally {
    await database.close();
  }
}
