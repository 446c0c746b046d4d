import { join } from "node:path";
import { migratedDatabase } from "./database.ts";
import { schemaPage } from "./schema_page.ts";
import { schemaSql } from "./schema_sql.ts";

const ROOT = join(import.meta.dirname!, "../..");

/** The files that follow from the migrations, with the text that each should have. */
export async function schemaFiles(): Promise<{ file: string; text: string }[]> {
  const database = await migratedDatabase();
  try {
    return [
      { file: join(ROOT, "docs/schema.md"), text: await schemaPage(database) },
      // Last: pg_dump leaves its own settings in the session.
      { file: join(ROOT, "supabase/schema.sql"), text: await schemaSql(database) },
    ];
  } finally {
    await database.close();
  }
}
