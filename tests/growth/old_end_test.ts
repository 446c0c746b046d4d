import assert from "node:assert/strict";
import { countBlocksAgain } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { makeMember } from "../support/record_fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const ROWS = 60_000;
/** The oldest rows, which were changed last: more than crm.list_by reads from the index of updated_at. */
const CHANGED = 6_000;
/** A page of 50 reads limited parts of one or two indexes. 60,000 deals and their index are 2,600 blocks. */
const MAX_BLOCKS = 400;

Deno.test("a page of deals costs as much where its filters match only old deals, none at all, or never the same deal", async (t) => {
  await using sql = openDatabase();
  const workspace = await makeWorkspace(sql);
  const seller = await makeMember(sql, workspace);
  const [first, second] = workspace.stages;
  {
    await using admin = await openWithoutTriggers();
    // Every deal is open, so that the statistics know no other status. All deals of a stage have the same owner.
    await admin`
      insert into crm.deals (
        workspace_id, id, title, pipeline_id, stage_id, owner_id, created_at, updated_at
      )
      select
        ${workspace.id}, crm.uuid_v7(made), 'Negócio ' || n, ${workspace.pipelineId},
        case when n % 2 = 0 then ${first.id}::uuid else ${second.id}::uuid end,
        case when n % 2 = 0 then ${seller}::uuid else ${workspace.memberId}::uuid end,
        made, case when n <= ${CHANGED}::integer then timestamptz '2026-01-01' else made end
      from generate_series(1, ${ROWS}::integer) n
      cross join lateral (select timestamptz '2025-01-01' + n * interval '1 second' as made) m`;
    await admin`vacuum analyze crm.deals`;
  }

  /** Counts the blocks that a page reads, called as api.call does. */
  async function blocks(args: Record<string, unknown>): Promise<number> {
    return await sql.begin(async (sql) => {
      await sql`set local role crm_api`;
      await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
      return await countBlocksAgain(sql, "select api.deal_list($1::text::jsonb)", [
        JSON.stringify({ limit: 50, ...args }),
      ]);
    });
  }

  const changed = { updated_since: "2026-01-01T00:00:00Z" };
  const cases: Record<string, Record<string, string | string[]>> = {
    "changed last": changed,
    "changed last, of one member": { ...changed, owner_id: seller },
    "changed last, in a window of time": { ...changed, since: "2025-01-01T00:00:00Z" },
    "a status that no deal has": { status: ["perdido"] },
    "a status that no deal has, changed last": { ...changed, status: ["perdido"] },
    "a status that no deal has, of one member": { status: ["perdido"], owner_id: seller },
    "a stage and a member that no deal has both": { stage_id: second.id, owner_id: seller },
    "three filters": { status: ["aberto"], stage_id: second.id, owner_id: seller },
  };
  for (const [title, args] of Object.entries(cases)) {
    await t.step(title, async () => {
      const read = await blocks(args);
      console.log(`${title}: ${read} blocks`);
      assert.ok(read <= MAX_BLOCKS, `${read} blocks`);
    });
  }
});
