// No choice of records and words makes a search slow. A page compares few texts, and fewer for long words, because a
// long word may be compared character by character at every position of a text.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { makeWorkspace, type TestWorkspace } from "../support/fixtures.ts";
import { holdFeed } from "../support/hold_feed.ts";
import { indexTexts } from "../support/jobs.ts";
import { sql } from "../support/scenario.ts";
import { asCrmApi } from "../support/transactions.ts";

const ROWS = 4_500;
/** Measured: at most 10. When LIKE compared every text whose letters the index found, the ratio was 45. */
const MAX_RATIO = 25;

/** Creates many contacts with one text. Their ids keep them out of the planner's sample, so the words seem rare. */
async function makeContacts(sql: Sql, { id, memberId }: TestWorkspace, name: string, rest: string) {
  await sql`
    insert into crm.contacts (workspace_id, id, name, job_title, owner_id)
    select ${id}, overlay(crm.uuid_v7(now() - n * interval '1 second')::text placing 'ff' from 35)::uuid,
      ${name}, ${rest}, ${memberId}
    from generate_series(1, ${ROWS}::integer) n`;
}

/** Milliseconds for a page without a match. */
async function time(sql: Sql, { id }: TestWorkspace, q: string): Promise<number> {
  return await asCrmApi(sql, id, async (sql) => {
    const started = performance.now();
    const [{ page }] = await sql<[{ page: { data: unknown[] } }]>`
      select api.contact_list(${sql.json({ limit: 50, q })}::jsonb) as page`;
    assert.deepEqual(page.data, []);
    return performance.now() - started;
  });
}

Deno.test("a search for repetitive words in thousands of repetitive texts takes at most as long as 25 ordinary searches", async (t) => {
  const [ordinary, hostile] = [await makeWorkspace(sql), await makeWorkspace(sql)];
  await makeContacts(sql, ordinary, "Ana Maria Lima", "Diretora de vendas, ana@exemplo.com.br");
  await makeContacts(sql, hostile, `baa aab c${"a".repeat(200)}`, "a".repeat(255));
  for (const state of ["walked", "in the index"]) {
    await using _held = state === "walked" ? await holdFeed() : null;
    if (state === "in the index") await indexTexts(sql);
    for (
      const q of [
        `${"a".repeat(99)}b`,
        `b${"a".repeat(99)}`,
        `b${"a".repeat(24)}`,
        `${"a".repeat(49)}b${"a".repeat(50)}`,
        "baab baaa aaab caab aaac",
        "aab@aab",
      ]
    ) {
      await t.step(`${state}: ${q}`, async () => {
        // In turns: other work on the machine may slow down one of the two for a while.
        let [usual, worst] = [Infinity, Infinity];
        for (let turn = 0; turn < 5; turn++) {
          usual = Math.min(usual, await time(sql, ordinary, "exemplo.com.com"));
          worst = Math.min(worst, await time(sql, hostile, q));
        }
        assert.ok(worst <= MAX_RATIO * usual, `${worst} ms, not ${usual}`);
      });
    }
  }
});
