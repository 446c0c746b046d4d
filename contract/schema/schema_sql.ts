import type { PGlite } from "@electric-sql/pglite";
import { pgDump } from "@electric-sql/pglite-tools/pg_dump";
import { SCHEMAS } from "./database.ts";

const HEAD =
  `-- The whole schema, as pg_dump says it after every migration. Written by deno task schema: to read and to compare in
-- review, never to run. What is changed, and why, is in supabase/migrations.

`;

/** The text of supabase/schema.sql. */
export async function schemaSql(database: PGlite): Promise<string> {
  const dump = await pgDump({
    pg: database,
    args: ["--schema-only", "--no-owner", ...SCHEMAS.map((schema) => `--schema=${schema}`)],
  });
  const text = await dump.text();
  // Of the dump's own session and program; neither is the schema's.
  const statements = text.slice(text.indexOf("--\n-- Name:"));
  return HEAD + statements.replace(/\n--\n-- PostgreSQL database dump complete[\s\S]*$/, "").trimEnd() + "\n";
}
