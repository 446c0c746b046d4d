import { join } from "node:path";
import { withVerbFunctions } from "../contract/rights/section.ts";
import { readVerbRights, VERB_ROLES, type VerbRole } from "../contract/rights/verb_rights.ts";
import { applyMigrations, createDatabase, MIGRATIONS, RIGHTS } from "./database.ts";
import { schemaPage } from "./schema_page.ts";
import { schemaSql } from "./schema_sql.ts";

const ROOT = join(import.meta.dirname!, "..");

/** The files that are generated from the migrations, each with its text. */
export async function schemaFiles(): Promise<{ file: string; text: string }[]> {
  const database = await createDatabase();
  try {
    await applyMigrations(database);
    const rightsFile = join(MIGRATIONS, RIGHTS);
    let rights = await Deno.readTextFile(rightsFile);
    for (const role of Object.keys(VERB_ROLES) as VerbRole[]) {
      const needed = await readVerbRights(async (text) => (await database.query<object>(text)).rows, role);
      rights = withVerbFunctions(rights, role, needed);
    }
    await database.exec(rights);
    return [
      { file: rightsFile, text: rights },
      { file: join(ROOT, "docs/schema.md"), text: await schemaPage(database) },
      // pg_dump must run last, because it changes the settings of the session.
      { file: join(ROOT, "supabase/schema.sql"), text: await schemaSql(database) },
    ];
  } finally {
    await database.close();
  }
}
