import type { ISql } from "postgres";

/** Counts the blocks that a query touches, in memory or on disk: unlike a time, it has no noise. */
export async function countBlocks(sql: ISql, query: string, values: string[] = []): Promise<number> {
  const [row] = await sql.unsafe(`explain (analyze, buffers, format json) ${query}`, values);
  const { Plan } = row!["QUERY PLAN"][0];
  return Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"];
}

/** Blocks read by a warm call; the first call also reads the catalogue. */
export async function countBlocksAgain(sql: ISql, query: string, values: string[] = []): Promise<number> {
  await countBlocks(sql, query, values);
  return await countBlocks(sql, query, values);
}
