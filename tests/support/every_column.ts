import type { Sql } from "postgres";

/**
 * Looks for texts in every table outside Postgres's own schemas. It reads each row as text, so it finds them in columns
 * of any type.
 * @param texts in lower case
 * @returns the sorted names of the tables with a row that contains one of the texts; a partition counts as its table
 */
export async function tablesWith(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and not c.relispartition
      and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql.unsafe<[{ has: boolean }]>(
      `select exists (
        select from ${name} t, unnest($1::text[]) s (text) where position(s.text in lower(t::text)) > 0
      ) as has`,
      [texts as string[]],
    );
    if (row.has) found.push(name);
  }
  return found;
}
