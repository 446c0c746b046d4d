import type { PGlite } from "@electric-sql/pglite";

interface Column {
  name: string;
  type: string;
  required: boolean;
  generated: boolean;
  key: boolean;
  reference: boolean;
  text: string | null;
}

interface Table {
  name: string;
  text: string;
  columns: Column[];
}

interface Domain {
  name: string;
  type: string;
  text: string;
}

interface Relation {
  from: string;
  to: string;
  columns: string[];
  /** Whether the reference may be null. */
  optional: boolean;
  /** Whether the reference is the row's whole primary key, so that at most one row refers to the same other row. */
  single: boolean;
}

const HEAD = `# Schema

Written by \`deno task schema\` from the catalogue of a database with every migration; a test compares the two. The SQL
is in [supabase/migrations](../supabase/migrations); \`deno task schema -- --dump\` prints it as \`pg_dump\` does.

Every table of a workspace has \`workspace_id\` first in its keys, and refers to others by \`(workspace_id, id)\`: a
key check bypasses row-level security, so the workspace must be part of it.
`;

/** Creates the text of docs/schema.md: the entity diagram, every domain, and every table with its columns. */
export async function schemaPage(database: PGlite): Promise<string> {
  const { rows: tables } = await database.query<Table>(TABLES);
  const { rows: relations } = await database.query<Relation>(RELATIONS);
  const { rows: domains } = await database.query<Domain>(DOMAINS);
  return [HEAD, diagram(tables, relations), domainTable(domains), ...tables.map(section)].join("\n")
    .trimEnd() + "\n";
}

function diagram(tables: Table[], relations: Relation[]): string {
  const lines = [
    ...relations.map(({ from, to, columns, optional, single }) =>
      `  ${to} ${optional ? "|o" : "||"}--${single ? "o|" : "o{"} ${from} : "${columns.join(", ")}"`
    ),
    ...tables.map(({ name, columns }) => {
      const keys = columns.filter(({ key, reference }) => key || reference);
      const rows = keys.map(({ name, type, key, reference }) =>
        `    ${type.replace(/[^a-z]+/g, "_")} ${name}${key ? " PK" : ""}${
          key && reference ? ", FK" : reference ? " FK" : ""
        }`
      );
      return `  ${name} {\n${rows.join("\n")}\n  }`;
    }),
  ];
  return `\`\`\`mermaid\nerDiagram\n${lines.join("\n")}\n\`\`\`\n`;
}

function domainTable(domains: Domain[]): string {
  const rows = domains.map(({ name, type, text }) => `| ${name} | ${type} | ${text} |`);
  return `## Domains\n\n| domain | type | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function section({ name, text, columns }: Table): string {
  const rows = columns.map(({ name, type, required, generated, text }) =>
    `| ${name} | ${type}${required ? "" : ", null"}${generated ? ", generated" : ""} | ${text ?? ""} |`
  );
  return `## crm.${name}\n\n${wrapped(text)}\n\n| column | type | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** Wraps text at 120 characters. */
function wrapped(text: string): string {
  return text.replace(/(.{1,120})(?:\s+|$)/g, "$1\n").trimEnd();
}

const TABLES = `
  select
    c.relname as name,
    obj_description(c.oid, 'pg_class') as text,
    (
      select json_agg(json_build_object(
        'name', a.attname,
        'type', format_type(a.atttypid, a.atttypmod),
        'required', a.attnotnull,
        'generated', a.attgenerated <> '',
        'key', exists (
          select from pg_constraint k
          where k.conrelid = c.oid and k.contype = 'p' and a.attnum = any (k.conkey)
        ),
        'reference', exists (
          select from pg_constraint k
          where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any (k.conkey)
        ),
        'text', col_description(c.oid, a.attnum)
      ) order by a.attnum)
      from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) as columns
  from pg_class c
  where c.relnamespace = 'crm'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname`;

const DOMAINS = `
  select
    format_type(t.oid, null) as name,
    format_type(t.typbasetype, t.typtypmod) as type,
    obj_description(t.oid, 'pg_type') as text
  from pg_type t
  where t.typnamespace = 'crm'::regnamespace and t.typtype = 'd'
  order by t.typname`;

const RELATIONS = `
  select
    r.relname as "from",
    t.relname as "to",
    names.columns,
    names.optional,
    f.conkey @> p.conkey and p.conkey @> f.conkey as single
  from pg_constraint f
  join pg_class r on r.oid = f.conrelid
  join pg_class t on t.oid = f.confrelid
  join pg_constraint p on p.conrelid = f.conrelid and p.contype = 'p'
  cross join lateral (
    select array_agg(a.attname::text order by a.attnum) as columns, bool_or(not a.attnotnull) as optional
    from pg_attribute a
    where a.attrelid = f.conrelid and a.attnum = any (f.conkey)
      and (a.attname <> 'workspace_id' or cardinality(f.conkey) = 1)
  ) names
  where f.contype = 'f' and f.connamespace = 'crm'::regnamespace
  order by t.relname, r.relname, names.columns`;
