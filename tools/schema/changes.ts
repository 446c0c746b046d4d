import type { PGlite } from "@electric-sql/pglite";
import { type Entry, keyOf, type State } from "./state.ts";

/**
 * The types of objects whose changes are generated. People write the changes of other types, which lock or rewrite
 * tables.
 */
const WRITTEN = ["FUNCTION", "PROCEDURE", "VIEW", "TRIGGER", "POLICY", "TYPE", "ACL", "COMMENT"];

/** The types of objects in the order in which they are dropped: those that depend on others first. */
const DROPPED = ["TRIGGER", "POLICY", "VIEW", "FUNCTION", "PROCEDURE", "TYPE"];

/** Whether changes of an object are generated. Of SQL types, only composite types are changed in this way. */
export function isWritten({ type, sql }: Entry): boolean {
  return WRITTEN.includes(type) && (type !== "TYPE" || attributesOf(sql) !== null);
}

/**
 * The statements that turn one database's functions, composite types, views, triggers, policies, rights and comments
 * into those of another. A function or type that cannot be replaced is dropped and created, with all that depends on
 * it.
 *
 * @param database has the state `before`
 */
export async function changesSql(database: PGlite, before: State, after: State): Promise<string> {
  const remade = new Set<string>();
  for (const [key, old] of before) {
    const entry = after.get(key);
    if (!DROPPED.includes(old.type) || !isWritten(old)) continue;
    if (entry !== undefined && (entry.sql === old.sql || changedSql(old, entry) !== null)) continue;
    remade.add(key);
    for (const dependent of await dependents(database, old)) if (before.has(dependent)) remade.add(dependent);
  }

  const drops = [...remade].map((key) => before.get(key)!)
    .toSorted((a, b) => DROPPED.indexOf(a.type) - DROPPED.indexOf(b.type)).map(dropSql);
  const remadeObjects = objects(remade);
  const isRemade = (entry: Entry) =>
    (entry.type === "ACL" || entry.type === "COMMENT") && remadeObjects.has(subject(entry));
  const kept = objects(after.keys());
  const statements: string[] = [];
  for (const [key, old] of before) {
    if (after.has(key) || !isWritten(old) || isRemade(old)) continue;
    // Only if the object stays: dropping an object also drops its rights and its comment.
    if (old.type === "ACL" && kept.has(subject(old))) statements.push(...revokes(old.sql));
    if (old.type === "COMMENT" && kept.has(subject(old))) {
      statements.push(old.sql.replace(/ IS '[^]*$/, " IS NULL;"));
    }
  }
  for (const [key, entry] of after) {
    if (!isWritten(entry)) continue;
    const old = before.get(key);
    if (old === undefined || remade.has(key) || isRemade(entry)) statements.push(entry.sql);
    else if (old.sql !== entry.sql) statements.push(changedSql(old, entry)!);
  }
  return [...drops, ...statements].map((statement) => statement.replaceAll(/^\n+|\n+$/g, "")).join("\n\n");
}

/** The statement that changes an object without dropping it; null if it must be dropped. */
function changedSql(old: Entry, entry: Entry): string | null {
  switch (entry.type) {
    case "FUNCTION":
    case "PROCEDURE":
      return signatureOf(old.sql) === signatureOf(entry.sql)
        // `create or replace` keeps the owner.
        ? entry.sql.replace("CREATE ", "CREATE OR REPLACE ").replace(/\n\nALTER [^\n]* OWNER TO [^\n]*$/, "")
        : null;
    case "TRIGGER":
      return entry.sql.startsWith("CREATE TRIGGER")
        ? entry.sql.replace("CREATE ", "CREATE OR REPLACE ")
        : null;
    case "TYPE": {
      const [had, has] = [attributesOf(old.sql)!, attributesOf(entry.sql)!];
      // `row(…)::type` assigns by position, so an attribute can only be added at the end.
      if (had.some((attribute, index) => attribute !== has[index])) return null;
      const added = has.slice(had.length).map((attribute) => `ADD ATTRIBUTE ${attribute}`);
      return `ALTER TYPE ${entry.schema}.${entry.name}\n    ${added.join(",\n    ")};`;
    }
    case "ACL":
      return [...revokes(old.sql), entry.sql].join("\n");
    case "COMMENT":
      return entry.sql;
    default:
      return null;
  }
}

/** What `create or replace` cannot change: the arguments' names and defaults, and the result. */
function signatureOf(sql: string): string {
  return sql.slice(0, sql.indexOf("\n    LANGUAGE"));
}

/** The attributes of a composite type; null for another type. */
function attributesOf(sql: string): string[] | null {
  const [, attributes] = /^CREATE TYPE \S+ AS \(\n([^]*?)\n\);/.exec(sql) ?? [];
  return attributes?.split(",\n").map((attribute) => attribute.trim()) ?? null;
}

function dropSql({ type, schema, name }: Entry): string {
  if (type !== "TRIGGER" && type !== "POLICY") return `DROP ${type} ${schema}.${name};`;
  const [, table, own] = /^(\S+) (.*)$/.exec(name)!;
  return `DROP ${type} ${type === "POLICY" ? `"${own}"` : own} ON ${schema}.${table};`;
}

/** The statements that take back what an ACL entry grants. */
function revokes(sql: string): string[] {
  return [...sql.matchAll(/^GRANT (.*) TO (\S+);$/gm)].map(([, rights, role]) =>
    `REVOKE ${rights} FROM ${role};`
  );
}

/** The objects that keys name, without arguments, in the form that `subject` returns. */
function objects(keys: Iterable<string>): Set<string> {
  return new Set([...keys].map((key) => key.replace(/\(.*$/, "").replace("VIEW ", "TABLE ")));
}

/**
 * The object to which rights or a comment belong. Leaves out a function's arguments, because pg_dump prints their names
 * here but not in the function's own entry. Calls a view a table, as pg_dump does for the view's rights.
 */
function subject({ schema, name }: Entry): string {
  const [, type, own] = /^(\S+) ([^(]*)/.exec(name)!;
  // A column's rights and comment belong to its table.
  return type === "COLUMN"
    ? `TABLE ${schema}.${own!.split(".")[0]}`
    : `${type!.replace("VIEW", "TABLE")} ${schema}.${own}`;
}

/** The keys of everything that Postgres would drop with an object. */
async function dependents(database: PGlite, { type, schema, name }: Entry): Promise<string[]> {
  if (!["FUNCTION", "PROCEDURE", "VIEW", "TYPE"].includes(type)) return [];
  const { rows } = await database.query<{ type: string; schema: string | null; identity: string }>(
    `
    with recursive dependent as (
      select * from (values (
        $1::text::regclass,
        case $1 when 'pg_proc' then to_regprocedure($2)::oid when 'pg_type' then to_regtype($2)::oid else to_regclass($2)::oid end
      )) as root (classid, objid)
      union
      select d.classid, d.objid from dependent o
      join pg_depend d on d.refclassid = o.classid and d.refobjid = o.objid
    )
    select i.type, i.schema, i.identity from dependent d, pg_identify_object(d.classid, d.objid, 0) i`,
    [
      type === "TYPE" ? "pg_type" : type === "VIEW" ? "pg_class" : "pg_proc",
      `${schema}.${name}`,
    ],
  );
  return rows.map(({ type, identity }) => {
    const [, own, table] = /^(.*) on (\S+)$/.exec(identity) ?? [];
    if (type === "trigger" || type === "policy") {
      const [schema, name] = table!.split(".") as [string, string];
      return keyOf({ type: type.toUpperCase(), schema, name: `${name} ${own!.replaceAll('"', "")}` });
    }
    return `${type === "composite type" ? "TYPE" : type.toUpperCase()} ${identity}`;
  });
}
