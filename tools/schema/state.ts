import type { PGlite } from "@electric-sql/pglite";
import { pgDump } from "@electric-sql/pglite-tools/pg_dump";

/** The SQL that creates one object, its rights or its comment, in the words of pg_dump. */
export interface Entry {
  /** Such as FUNCTION, TABLE, ACL, COMMENT; ROWS for the rows that a schema file inserts. */
  type: string;
  schema: string;
  /**
   * The name as in a dump: `f(integer)` for a function, `deals moved` for a trigger, `FUNCTION f(integer)` for its
   * comment.
   */
  name: string;
  sql: string;
}

/** A whole database by the objects' types, schemas and names, in the order in which they can be created. */
export type State = Map<string, Entry>;

/** The schemas that the schema files create. */
const CREATED = ["crm", "api", "app"];

/** The tables whose rows belong to the definition. */
const CATALOGUES = ["event_types", "jobs"];

const HEADER = /^--\n-- Name: (.+); Type: ([A-Z ]+); Schema: (\S+); Owner: .*\n--\n\n/gm;

/** Reads all objects in our schemas of a database. */
export async function stateOf(database: PGlite): Promise<State> {
  const entries: Entry[] = [];
  const [, ...parts] = (await schemaSql(database)).split(HEADER);
  while (parts.length > 0) {
    const [name, type, schema, sql] = parts.splice(0, 4) as [string, string, string, string];
    entries.push({ type, schema, name, sql: sql.trim() });
  }
  for (const table of CATALOGUES) {
    entries.push({ type: "ROWS", schema: "crm", name: table, sql: await rowsOf(database, table) });
  }
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}

/** Prints a database as pg_dump does, for reading and comparing. */
async function schemaSql(database: PGlite): Promise<string> {
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

/** Names an entry in a state. */
export const keyOf = ({ type, schema, name }: Omit<Entry, "sql">) =>
  `${type} ${schema === "-" ? "" : `${schema}.`}${name}`;

/** The rows of a table as text, without the `once-` jobs, which delete themselves (docs/upgrading.md). */
async function rowsOf(database: PGlite, table: string): Promise<string> {
  const { rows } = await database.query<{ row: string }>(`
    select jsonb_strip_nulls(to_jsonb(t))::text as row from crm.${table} t
    where to_jsonb(t) ->> 'name' is null or to_jsonb(t) ->> 'name' not like 'once-%'
    order by 1`);
  return rows.map(({ row }) => row).join("\n");
}
