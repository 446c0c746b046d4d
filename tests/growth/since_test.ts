import assert from "node:assert/strict";
import { countBlocksAgain } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const ROWS = 60_000;
/** Enough for a page of ten deals in ten different blocks. The index of one member's deals is 400 blocks. */
const MAX_BLOCKS = 60;

Deno.test("a list by a filter ends at `since`, and does not read on to the oldest record with the value", async (t) => {
  await using sql = openDatabase();
  const workspace = await makeWorkspace(sql);
  await using admin = await openWithoutTriggers();
  await admin`
    insert into crm.deals (workspace_id, id, title, pipeline_id, stage_id, owner_id, created_at, updated_at)
    select
      ${workspace.id}, crm.uuid_v7(made), 'Negócio ' || n, ${workspace.pipelineId}, ${workspace.stages[0].id},
      ${workspace.memberId}, made, made
    from generate_series(1, ${ROWS}::integer) n
    cross join lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as made) m`;
  await admin`vacuum analyze crm.deals`;
  const [newest] = await sql`select max(created_at) - interval '9 minutes' as since from crm.deals
    where workspace_id = ${workspace.id}`;
  const since = newest!["since"].toISOString();

  async function call(verb: string, args: Record<string, unknown>) {
    return await sql.begin(async (sql) => {
      await sql`set local role crm_api`;
      await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
      const values = [JSON.stringify(args)];
      const query = `select ${verb}($1::text::jsonb) as reply`;
      const blocks = await countBlocksAgain(sql, query, values);
      const [reply] = await sql.unsafe(query, values);
      return { blocks, reply: reply!["reply"] };
    });
  }

  const filters: [title: string, args: Record<string, unknown>][] = [
    ["one filter", { owner_id: workspace.memberId }],
    ["several values", { status: ["aberto", "ganho"] }],
    ["several filters", {
      owner_id: workspace.memberId,
      status: ["aberto"],
      pipeline_id: workspace.pipelineId,
    }],
  ];
  for (const [title, args] of filters) {
    await t.step(title, async () => {
      const { blocks, reply } = await call("api.deal_list", { limit: 50, since, ...args });
      assert.equal(reply.data.length, 10);
      assert.ok(blocks <= MAX_BLOCKS, `${blocks} blocks`);
    });
    await t.step(`the sums, by ${title}`, async () => {
      const { blocks, reply } = await call("api.deal_summary", { since, ...args });
      assert.equal(Number(reply.totals.count), 10);
      assert.ok(blocks <= MAX_BLOCKS, `${blocks} blocks`);
    });
  }
});
