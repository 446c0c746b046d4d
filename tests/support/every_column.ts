import type { Sql } from "postgres";

/**
 * Looks for texts in every table outside Postgres's own schemas. It reads each row as text, so it finds them in columns
 * of any type.
 * @param texts of ASCII in lower case
 * @returns the sorted names of the tables with a row that contains one of the texts; a partition counts as its table
 */
export async function tablesWith(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and not c.relispartition
      and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    order by 1`;
  const patterns = texts.map((text) => `%${text.replaceAll(/[%_\\]/g, "\\$&")}%`);
  const found: string[] = [];
  for (const { name } of tables) {
    // lower() is faster with collation C than with the database's. OFFSET 0 makes Postgres call it once for each row.
    const [row] = await sql.unsafe<[{ has: boolean }]>(
      `select exists (
        select from (select lower(t::text collate "C") as text from ${name} t offset 0) r where r.text like any ($1)
      ) as has`,
      [patterns],
    );
    if (row.has) found.push(name);
  }
  return found;
}
