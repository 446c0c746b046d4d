import assert from "node:assert/strict";
import { countBlocksAgain } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { makeMember } from "../support/record_fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const ROWS = 60_000;
/** The number of deals that are not archived: the oldest ones. */
const IN_USE = 60;
/**
 * A page of 50 reads rows by one index in the list's order, and up to 1,250 rows by another; it looks up some 100 rows
 * by id, each in four blocks. 60,000 deals and their index are 2,600 blocks.
 */
const MAX_BLOCKS = 500;

Deno.test("a page of deals costs as much where nearly all of them are archived, and the archived ones are read as any others", async (t) => {
  await using sql = openDatabase();
  const workspace = await makeWorkspace(sql);
  const seller = await makeMember(sql, workspace);
  await using admin = await openWithoutTriggers();
  await admin`
    insert into crm.deals (workspace_id, id, title, pipeline_id, stage_id, owner_id, archived_at, created_at, updated_at)
    select
      ${workspace.id}, crm.uuid_v7(made), 'Negócio ' || n, ${workspace.pipelineId}, ${workspace.stages[0].id},
      case when n % 2 = 0 then ${seller}::uuid else ${workspace.memberId}::uuid end,
      case when n > ${IN_USE}::integer then made end, made, made
    from generate_series(1, ${ROWS}::integer) n
    cross join lateral (select timestamptz '2025-01-01' + n * interval '1 second' as made) m`;
  await admin`vacuum analyze crm.deals`;

  /** Reads a page as api.call does; counts the blocks read and the records. */
  async function page(args: Record<string, unknown>): Promise<{ blocks: number; records: number }> {
    return await sql.begin(async (sql) => {
      await sql`set local role crm_api`;
      await sql`select set_config('app.workspace_id', ${workspace.id}, true)`;
      const call = JSON.stringify({ limit: 50, ...args });
      const query = "select api.deal_list($1::text::jsonb) as page";
      const blocks = await countBlocksAgain(sql, query, [call]);
      const [list] = await sql.unsafe(query, [call]);
      return { blocks, records: list!["page"].data.length };
    });
  }

  const old = { until: "2025-01-01T00:02:00Z" };
  const cases: [title: string, args: Record<string, unknown>, records: number][] = [
    ["none of the newest is in use", {}, 0],
    ["of one member", { owner_id: seller }, 0],
    ["of one state", { status: ["aberto"] }, 0],
    ["of two states, of one member", { status: ["aberto", "ganho"], owner_id: seller }, 0],
    ["changed since", { updated_since: "2025-01-01T00:00:00Z" }, 0],
    ["changed since, few", { updated_since: "2025-01-01T16:30:00Z" }, 0],
    ["where they are in use", old, 50],
    ["archived", { archived: "true" }, 50],
    ["archived, of one member", { archived: "true", owner_id: seller }, 50],
    ["all", { archived: "any" }, 50],
  ];
  for (const [title, args, records] of cases) {
    await t.step(title, async () => {
      const read = await page(args);
      console.log(`${title}: ${read.blocks} blocks`);
      assert.equal(read.records, records);
      assert.ok(read.blocks <= MAX_BLOCKS, `${read.blocks} blocks`);
    });
  }
  await t.step("archived, where few are", async () => {
    await admin`
      update crm.deals set archived_at = case when id < crm.uuid_v7_floor('2025-01-01T00:01:00Z') then now() end
      where workspace_id = ${workspace.id}`;
    await admin`vacuum analyze crm.deals`;
    const read = await page({ archived: "true" });
    assert.equal(read.records, 50, "the oldest are found on the first page");
    assert.ok(read.blocks <= MAX_BLOCKS, `${read.blocks} blocks`);
  });
});
