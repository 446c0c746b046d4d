import assert from "node:assert/strict";
import { countBlocksAgain } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const ROWS = 30_000;
/** The funnel reads 1,001 deals of a stage, and 50 of them again, in some 300 blocks; all deals have 1,300. */
const MAX_BLOCKS = 600;

Deno.test("the funnel reads no more of a workspace all of whose deals are in one stage, open or closed", async (t) => {
  await using sql = openDatabase();
  const workspace = await makeWorkspace(sql);
  {
    await using admin = await openWithoutTriggers();
    await admin`
      insert into crm.deals (workspace_id, id, title, pipeline_id, stage_id, owner_id)
      select ${workspace.id}, crm.uuid_v7(now() - n * interval '1 second'), 'Negócio ' || n, ${workspace.pipelineId},
        ${workspace.stages[0].id}, ${workspace.memberId}
      from generate_series(1, ${ROWS}::integer) n`;
    await admin`vacuum analyze crm.deals`;
  }

  /** Counts the blocks that the funnel reads, called as the functions call it. */
  async function blocks(): Promise<number> {
    return await sql.begin(async (sql) => {
      await sql`set local role crm_app`;
      await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
      return await countBlocksAgain(sql, "select app.funnel_get($1::text::jsonb)", [
        JSON.stringify({ workspace_id: workspace.id }),
      ]);
    });
  }

  await t.step("open", async () => {
    const read = await blocks();
    assert.ok(read <= MAX_BLOCKS, `${read} blocks`);
  });
  await t.step("closed", async () => {
    {
      await using admin = await openWithoutTriggers();
      await admin`
        update crm.deals set status = 'ganho', closed_at = now() - interval '1 day' where workspace_id = ${workspace.id}`;
      await admin`vacuum analyze crm.deals`;
    }
    const read = await blocks();
    assert.ok(read <= MAX_BLOCKS, `${read} blocks`);
  });
});
