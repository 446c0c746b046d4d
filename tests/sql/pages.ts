import assert from "node:assert/strict";
import type { ISql, Sql } from "postgres";
import { asCrmApi } from "../support/transactions.ts";

/** The least and the greatest id. */
export const FIRST = "00000000-0000-0000-0000-000000000000";
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** What crm.list_by and crm.search_page return: at most one id above the limit, and next_id if the page ends early. */
export interface Page {
  ids: string[];
  next_id: string | null;
}

/**
 * Reads all pages of a list in one transaction, because a transaction for each page would take most of the test's time.
 *
 * @param page reads the page before an id
 * @returns the ids in order, and how many pages ended early: with fewer ids than the limit, although more pages follow
 */
export async function readAllPages(
  sql: Sql,
  workspaceId: string,
  limit: number,
  page: (sql: ISql, before: string) => Promise<Page>,
): Promise<{ seen: string[]; early: number }> {
  return await asCrmApi(sql, workspaceId, async (sql) => {
    const seen: string[] = [];
    let early = 0;
    for (let before: string | null = LAST; before !== null;) {
      const { ids, next_id } = await page(sql, before);
      const shown = ids.slice(0, limit);
      const next: string | null = ids.length > limit ? shown.at(-1)! : next_id;
      if (ids.length <= limit && next !== null) early++;
      assert.ok(next === null || next < before, "each page continues after the one before");
      seen.push(...shown);
      before = next;
    }
    return { seen, early };
  });
}
