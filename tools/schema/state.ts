import type { PGlite } from "@electric-sql/pglite";
import { schemaSql } from "./schema_sql.ts";

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
