import type { PGlite } from "@electric-sql/pglite";
import { pgDump } from "@electric-sql/pglite-tools/pg_dump";
import { CREATED } from "./database.ts";

/** Prints a database as pg_dump does, for reading and comparing. */
export async function schemaSql(database: PGlite): Promise<string> {
  const dump = await pgDump({
    pg: database,
    args: [
      "--schema-only",
      // Leaves out the partitions for single days, which would change the text every day.
      "--exclude-table=crm.*_[0-9][0-9][0-9][0-9]_[0-9][0-9]_[0-9][0-9]",
      ...CREATED.map((schema) => `--schema=${schema}`),
    ],
  });
  const text = await dump.text();
  // pg_dump leaves its read-only transaction open, and its settings changed.
  await database.exec("rollback; reset all");
  // Removes the session settings, the version of pg_dump and the owner of almost everything.
  return text.slice(text.indexOf("--\n-- Name:"))
    .replace(/\n--\n-- PostgreSQL database dump complete[\s\S]*$/, "")
    .replaceAll(/^ALTER .* OWNER TO postgres;\n\n?/gm, "")
    .trimEnd();
}
