import type { PGlite } from "@electric-sql/pglite";
import { pgDump } from "@electric-sql/pglite-tools/pg_dump";
import { SCHEMAS } from "./database.ts";

const HEAD =
  `-- The whole schema, as pg_dump prints it after every migration. Written by deno task schema, for reading and review;
-- never run it. The changes, with their reasons, are in supabase/migrations.

`;

/** Creates the text of supabase/schema.sql. */
export async function schemaSql(database: PGlite): Promise<string> {
  const dump = await pgDump({
    pg: database,
    args: [
      "--schema-only",
      "--no-owner",
      // The partitions of days, which would change the text every day.
      "--exclude-table=crm.*_[0-9][0-9][0-9][0-9]_[0-9][0-9]_[0-9][0-9]",
      ...SCHEMAS.map((schema) => `--schema=${schema}`),
    ],
  });
  const text = await dump.text();
  // Removes the session settings and the version of pg_dump, which are not part of the schema.
  const statements = text.slice(text.indexOf("--\n-- Name:"));
  return HEAD + statements.replace(/\n--\n-- PostgreSQL database dump complete[\s\S]*$/, "").trimEnd() + "\n";
}
