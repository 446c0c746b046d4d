import type { ISql, Sql } from "postgres";
import { actAs } from "./transactions.ts";

/**
 * Counts the blocks that a read-only query touches, in memory or on disk. Takes the fewest of three runs: the first run
 * after autovacuum has analysed a table also reads the catalogue.
 */
export async function countBlocks(sql: ISql, query: string, values: string[] = []): Promise<number> {
  let fewest = Infinity;
  for (let run = 0; run < 3; run++) {
    const [row] = await sql.unsafe(`explain (analyze, buffers, format json) ${query}`, values);
    const { Plan } = row!["QUERY PLAN"][0];
    fewest = Math.min(fewest, Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]);
  }
  return fewest;
}

/** Counts rows that this transaction has read from tables named like `tables`. Its end may reset the counters. */
export async function countRows(sql: ISql, tables: string): Promise<number> {
  const [row] = await sql<[{ rows: number }]>`
    select sum(seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_xact_user_tables
    where relname like ${tables}`;
  return row.rows;
}

/** Calls a verb such as `api.deal_list` with the role that runs it, and counts the blocks that a second call reads. */
export async function callVerb(
  sql: Sql,
  workspaceId: string,
  verb: `${"api" | "app"}.${string}`,
  args: Record<string, unknown>,
) {
  return await sql.begin(async (sql) => {
    await actAs(sql, verb.startsWith("api.") ? "crm_api" : "crm_app", workspaceId);
    const [query, values] = [`select ${verb}($1::text::jsonb) as reply`, [JSON.stringify(args)]];
    const [row] = await sql.unsafe(query, values);
    return { reply: row!["reply"], blocks: await countBlocks(sql, query, values) };
  });
}
