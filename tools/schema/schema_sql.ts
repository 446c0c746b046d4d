import type { PGlite } from "@electric-sql/pglite";
import { pgDump } from "@electric-sql/pglite-tools/pg_dump";
import { SCHEMAS } from "./database.ts";

/** Prints a database as pg_dump does, for reading. It changes the settings of the session. */
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
  return statements.replace(/\n--\n-- PostgreSQL database dump complete[\s\S]*$/, "").trimEnd();
}
