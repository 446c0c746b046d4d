// Counts the blocks that pages, sums and the funnel read among 60,000 deals. The deals and their index have 2,600
// blocks.
import assert from "node:assert/strict";
import { callVerb } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { eventually } from "../support/mailbox.ts";
import { makeMember } from "../support/record_fixtures.ts";
import { openDatabase, openWithoutTriggers } from "../support/stack.ts";

const ROWS = 60_000;
/** How many of the oldest deals were changed last: more than crm.list_by reads from the index of updated_at. */
const CHANGED = 6_000;
/** How many of the oldest deals are not archived, in the test where nearly all deals are archived. */
const IN_USE = 60;
const PAGE = { limit: 50 };

interface Case {
  args: Record<string, unknown>;
  verb?: "api.deal_summary" | "app.funnel_get";
  /** The number of deals in the page, or counted by the sum. Absent: any number. */
  finds?: number;
  /** The most blocks that the call may read. */
  most: number;
}

/** Creates a workspace with 60,000 deals, a minute apart; `archived` is the SQL for `archived_at` of deal `n`. */
async function makeDeals(sql: ReturnType<typeof openDatabase>, archived: string) {
  const workspace = await makeWorkspace(sql);
  const seller = await makeMember(sql, workspace);
  const [first, second] = workspace.stages;
  await using admin = await openWithoutTriggers();
  // Every deal is open, so the planner's statistics have no other status. All deals of a stage have the same owner.
  await admin`
    insert into crm.deals (
      workspace_id, id, title, pipeline_id, stage_id, owner_id, archived_at, created_at, updated_at
    )
    select
      ${workspace.id}, crm.uuid_v7(made), 'Negócio ' || n, ${workspace.pipelineId},
      case when n % 2 = 0 then ${first.id}::uuid else ${second.id}::uuid end,
      case when n % 2 = 0 then ${seller}::uuid else ${workspace.memberId}::uuid end,
      ${
    admin.unsafe(archived)
  }, made, case when n <= ${CHANGED}::integer then timestamptz '2026-01-01' else made end
    from generate_series(1, ${ROWS}::integer) n
    cross join lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as made) m`;
  await admin`vacuum analyze crm.deals`;

  const check = (t: Deno.TestContext, title: string, { args, verb, finds, most }: Case) =>
    t.step(title, async () => {
      const { reply, blocks } = await callVerb(sql, workspace.id, verb ?? "api.deal_list", args);
      const found = verb === "api.deal_summary" ? Number(reply.totals.count) : reply.data?.length;
      if (finds !== undefined) assert.equal(found, finds);
      assert.ok(blocks <= most, `${blocks} blocks, not ${most}`);
    });
  const update = async (values: string) => {
    await using admin = await openWithoutTriggers();
    await admin.unsafe(`update crm.deals set ${values} where workspace_id = '${workspace.id}'`);
    // A job whose transaction began before the update would keep the old rows. The next call would read them.
    await eventually(async () => {
      const [{ count }] = await admin<[{ count: number }]>`
        select count(*)::int as count from pg_stat_activity
        where backend_xmin is not null and pid <> pg_backend_pid() and datname = current_database()`;
      return count === 0;
    }, "no transaction from before the update");
    await admin`vacuum analyze crm.deals`;
  };
  return { workspace, seller, check, update };
}

Deno.test("a call reads a bounded part of the deals, even if its filters match only old deals or none", async (t) => {
  await using sql = openDatabase();
  const { workspace, seller, check, update } = await makeDeals(sql, "null::timestamptz");
  const second = workspace.stages[1].id;
  const changed = { updated_since: "2026-01-01T00:00:00Z" };
  // A page of 50 reads limited parts of one or two indexes.
  const pages: Record<string, Record<string, unknown>> = {
    "changed last": changed,
    "changed last, of one member": { ...changed, owner_id: seller },
    "changed last, in a window of time": { ...changed, since: "2025-01-01T00:00:00Z" },
    "a status that no deal has": { status: ["perdido"] },
    "a status that no deal has, changed last": { ...changed, status: ["perdido"] },
    "a status that no deal has, of one member": { status: ["perdido"], owner_id: seller },
    "a stage and a member that no deal has both": { stage_id: second, owner_id: seller },
    "sorted, by a filter that no deal matches": { sort: "-value", status: ["perdido"] },
    "sorted, among many deals of one member": { sort: "moved_at", owner_id: seller },
    "three filters": { status: ["aberto"], stage_id: second, owner_id: seller },
  };
  for (const [title, args] of Object.entries(pages)) {
    await check(t, title, { args: { ...PAGE, ...args }, most: 400 });
  }

  // A list by a filter ends at `since`. Reading on to the oldest deal with the value would cost the whole index of one
  // member's deals, 200 blocks. The ten deals of a page may be in ten different blocks.
  const since = new Date(Date.UTC(2025, 0, 1) + (ROWS - 9) * 60_000).toISOString();
  const filters: [title: string, finds: number, args: Record<string, unknown>][] = [
    ["one filter", 5, { owner_id: seller }],
    ["several values", 10, { status: ["aberto", "ganho"] }],
    ["a range that all deals are in", 10, { updated_since: "2025-01-01T00:00:00Z" }],
    ["several filters", 5, { owner_id: seller, status: ["aberto"], pipeline_id: workspace.pipelineId }],
  ];
  for (const [title, finds, filter] of filters) {
    const args = { since, ...filter };
    await check(t, `since, ${title}`, { args: { ...PAGE, ...args }, finds, most: 60 });
    await check(t, `sums since, ${title}`, { args, verb: "api.deal_summary", finds, most: 60 });
  }

  {
    await using admin = await openWithoutTriggers();
    await admin`
      insert into crm.proposals (workspace_id, id, deal_id, title, status)
      select workspace_id, crm.uuid_v7(), id, title, case when random() < 0.5 then 'aceita' else 'enviada' end
      from crm.deals where workspace_id = ${workspace.id}`;
    await admin`vacuum analyze crm.proposals`;
  }
  // The funnel reads 1,001 deals for each of the two stages. It then reads 50 of them in full, in some 300 blocks, and
  // their proposals, in some 300 more.
  const funnel: Case = { args: { workspace_id: workspace.id }, verb: "app.funnel_get", most: 1_200 };
  await check(t, "the funnel, open", funnel);
  await update("status = 'ganho', closed_at = now() - interval '1 day'");
  await check(t, "the funnel, closed", funnel);
});

Deno.test("a page of deals costs no more if nearly all deals are archived, and archived deals are read like any others", async (t) => {
  await using sql = openDatabase();
  const { seller, check, update } = await makeDeals(sql, `case when n > ${IN_USE} then made end`);
  // Most of these blocks are for looking up some 100 rows by id, at four blocks each. The rest belong to two indexes:
  // one read in the list's order, one for at most 1,250 rows.
  const most = 500;
  const cases: [title: string, finds: number, args: Record<string, unknown>][] = [
    ["none of the newest is in use", 0, {}],
    ["of one member", 0, { owner_id: seller }],
    ["of one state", 0, { status: ["aberto"] }],
    ["of two states, of one member", 0, { status: ["aberto", "ganho"], owner_id: seller }],
    ["changed since", 0, { updated_since: "2025-01-02T00:00:00Z" }],
    ["changed since, few", 0, { updated_since: "2025-02-11T10:00:00Z" }],
    ["where they are in use", 50, { until: "2025-01-01T02:00:00Z" }],
    ["archived", 50, { archived: "true" }],
    ["archived, of one member", 50, { archived: "true", owner_id: seller }],
    ["all", 50, { archived: "any" }],
  ];
  for (const [title, finds, args] of cases) {
    await check(t, title, { args: { ...PAGE, ...args }, finds, most });
  }
  await update("archived_at = case when id < crm.uuid_v7_floor('2025-01-01T01:00:00Z') then now() end");
  await check(t, "archived, where few are", { args: { ...PAGE, archived: "true" }, finds: 50, most });
});
