// The events that the jobs deals-stale and activities-overdue emit as time passes.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { runJob } from "../support/jobs.ts";
import { operate } from "../../run/operator/operator.ts";
import { deliveryBody } from "../../tools/openapi/events.ts";
import { client } from "../support/client.ts";
import { makeDeal, makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";

/** Reads the facts of an object's events of one type, oldest first. */
async function factsOf(sql: Sql, id: string, event: "deal.stale" | "activity.overdue") {
  const rows = await sql<{ facts: Record<string, unknown>; body: string }[]>`
    select e.facts, crm.delivery_body(e.id, e) as body from crm.events e
    where e.object_id = ${id} and e.event::text = ${event} order by e.occurred_at`;
  for (const { body } of rows) {
    assert.deepEqual(deliveryBody(event).parse(JSON.parse(body)), JSON.parse(body));
  }
  return rows.map(({ facts }) => facts);
}

/** Sets the deal's last movement to `ago`, an interval. */
async function setLastMovement(sql: Sql, dealId: string, ago: string): Promise<void> {
  await sql`update crm.deals set moved_at = now() - ${ago}::interval where id = ${dealId}`;
}

/** Sets the deal's last movement if `ago` is given, runs the job deals-stale, and returns the facts of its events. */
async function staleFacts(sql: Sql, dealId: string, ago?: string) {
  if (ago !== undefined) await setLastMovement(sql, dealId, ago);
  await runJob(sql, "deals-stale");
  return await factsOf(sql, dealId, "deal.stale");
}

test("deal.stale is emitted once for each period without movement, after as many days as the workspace sets (spec 6.1)", async ({ sql, workspace, api, newDeal }) => {
  const deal = await newDeal();
  const stale = (ago?: string) => staleFacts(sql, deal.id, ago);
  assert.deepEqual(await stale("13 days 23 hours 59 minutes"), []);
  const first = { days_without_movement: 14, threshold_days: 14 };
  assert.deepEqual(await stale("14 days 1 hour"), [first]);
  assert.deepEqual(await stale(), [first], "emitted only once");
  await operate(sql, "workspace_update", { workspace_id: workspace.id, stale_after_days: 2 });
  assert.deepEqual(await stale(), [first], "another threshold starts no new period");

  await api.patch(`/api-v1-deals/${deal.id}`, { title: "Andou" });
  assert.deepEqual(await stale(), [first]);
  assert.deepEqual(await stale("3 days"), [first, { days_without_movement: 3, threshold_days: 2 }]);
});

test("A stage change, a PATCH, a note and an activity, new or changed, are movement (spec 6.1)", async ({ sql, workspace, api, newDeal }) => {
  const deal = await newDeal();
  const { body: activity } = await api.post("/api-v1-activities", { deal_id: deal.id });
  const moves: [string, () => Promise<{ status: number }>][] = [
    ["stage", () => api.post(`/api-v1-deals/${deal.id}/move-stage`, { stage_id: workspace.stages[1].id })],
    ["PATCH", () => api.patch(`/api-v1-deals/${deal.id}`, { value: 1 })],
    ["note", () => api.post("/api-v1-notes", { deal_id: deal.id, body: "Olá" })],
    ["activity", () => api.post("/api-v1-activities", { deal_id: deal.id })],
    ["activity done", () => api.patch(`/api-v1-activities/${activity.id}`, { status: "concluida" })],
  ];
  for (const [name, move] of moves) {
    await setLastMovement(sql, deal.id, "20 days");
    assert.ok([200, 201].includes((await move()).status), name);
    assert.deepEqual(await staleFacts(sql, deal.id), [], name);
  }
  assert.equal((await staleFacts(sql, deal.id, "20 days")).length, 1);
});

test("A closed deal is not stale; a reopened one starts a new period without movement (spec 6.1)", async ({ sql, api, newDeal }) => {
  const deal = await newDeal();
  await api.post(`/api-v1-deals/${deal.id}/win`);
  assert.deepEqual(await staleFacts(sql, deal.id, "20 days"), []);
  await api.patch(`/api-v1-deals/${deal.id}`, { status: "aberto" });
  assert.deepEqual(await staleFacts(sql, deal.id), []);
  assert.equal((await staleFacts(sql, deal.id, "20 days")).length, 1);
});

test("The jobs do not change updated_at, and a note does not change the updated_at of its deal", async ({ sql, api, newDeal }) => {
  const deal = await newDeal();
  const due_at = new Date(Date.now() - 1000).toISOString();
  const { body: activity } = await api.post("/api-v1-activities", { deal_id: deal.id, due_at });
  await setLastMovement(sql, deal.id, "20 days");
  const read = async () => [
    (await api.get(`/api-v1-deals/${deal.id}`)).body.updated_at,
    (await api.get(`/api-v1-activities/${activity.id}`)).body.updated_at,
  ];
  const before = await read();
  await runJob(sql, "deals-stale");
  await runJob(sql, "activities-overdue");
  assert.equal((await factsOf(sql, deal.id, "deal.stale")).length, 1);
  assert.equal((await factsOf(sql, activity.id, "activity.overdue")).length, 1);
  await api.post("/api-v1-notes", { deal_id: deal.id, body: "Olá" });
  assert.deepEqual(await read(), before);
});

test("A PATCH that changes nothing, however it is written, is no movement; the notes of a batch are movement, and do not change the deal's updated_at", async ({ sql, api, newDeal }) => {
  const deal = await newDeal();
  const path = `/api-v1-deals/${deal.id}`;
  const { body: activity } = await api.post("/api-v1-activities", {
    deal_id: deal.id,
    due_at: "2027-10-15T14:00:00Z",
  });
  await setLastMovement(sql, deal.id, "3 days");
  const moved = async () =>
    (await sql`select moved_at from crm.deals where id = ${deal.id}`)[0]!["moved_at"].getTime();
  const before = [
    await moved(),
    (await api.get(path)).text,
    (await api.get(`/api-v1-activities/${activity.id}`)).text,
  ];
  const same = { due_at: "2027-10-15T11:00:00-03:00", type: null, owner_id: activity.owner_id };
  await api.patch(`/api-v1-activities/${activity.id}`, same);
  await api.patch(path, { owner_id: null });
  await api.patch(`/api-v1-contacts/${deal.contactId}`, { owner_id: null });
  assert.deepEqual(
    [await moved(), (await api.get(path)).text, (await api.get(`/api-v1-activities/${activity.id}`)).text],
    before,
  );
  const items = ["Ligou", "Escreveu"].map((body) => ({ op: "create", data: { deal_id: deal.id, body } }));
  await api.post("/api-v1-notes/batch", { items });
  assert.ok(await moved() > Number(before[0]));
  const { body: { updated_at } } = await api.get(path);
  assert.equal(updated_at, JSON.parse(before[1] as string).updated_at);
});

test("A deal or an activity that a call has locked is reported by the next run, and delays no other", async ({ sql, api, newDeal }) => {
  const [locked, other] = [await newDeal(), await newDeal()];
  const due_at = new Date(Date.now() - 60_000).toISOString();
  const activities: string[] = [];
  for (const { id } of [locked, other]) {
    activities.push((await api.post("/api-v1-activities", { deal_id: id, due_at })).body.id);
    await setLastMovement(sql, id, "15 days");
  }
  const reported = async () => {
    for (const job of ["deals-stale", "activities-overdue"]) await runJob(sql, job);
    const found = await sql`
      select object_id from crm.events
      where object_id in (${locked.id}, ${other.id}, ${activities[0]!}, ${activities[1]!})
        and event in ('deal.stale', 'activity.overdue') order by occurred_at, id`;
    return found.map(({ object_id }) => object_id);
  };
  await using call = openDatabase();
  await call.begin(async (call) => {
    await call`select from crm.deals where id = ${locked.id} for update`;
    await call`select from crm.activities where id = ${activities[0]!} for update`;
    assert.deepEqual(await reported(), [other.id, activities[1]]);
  });
  assert.deepEqual(await reported(), [other.id, activities[1], locked.id, activities[0]]);
});

test("activity.overdue is emitted once for each due date that passes (spec 6.1)", async ({ sql, api, newDeal }) => {
  const deal = await newDeal();
  const due = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const { body: { id } } = await api.post("/api-v1-activities", { deal_id: deal.id, due_at: due(3600) });
  const path = `/api-v1-activities/${id}`;
  const overdue = async () => {
    await runJob(sql, "activities-overdue");
    return (await factsOf(sql, id, "activity.overdue")).map((facts) => facts["overdue_since"]);
  };
  assert.deepEqual(await overdue(), []);
  const first = due(-60);
  await api.patch(path, { due_at: first });
  assert.deepEqual(await overdue(), [first]);
  assert.deepEqual(await overdue(), [first], "emitted only once");
  await api.patch(path, { title: "Outra" });
  assert.deepEqual(await overdue(), [first], "only a new due date emits the event again");

  await api.patch(path, { due_at: due(3600) });
  assert.deepEqual(await overdue(), [first]);
  const second = due(-30);
  await api.patch(path, { due_at: second });
  assert.deepEqual(await overdue(), [first, second]);
});

test("An activity that is done, cancelled or without a due date is never overdue (spec 6.1)", async ({ sql, api, newDeal }) => {
  const deal = await newDeal();
  const due_at = new Date(Date.now() - 60_000).toISOString();
  for (const fields of [{ due_at, status: "concluida" }, { due_at, status: "cancelada" }, {}]) {
    const { body: { id } } = await api.post("/api-v1-activities", { deal_id: deal.id, ...fields });
    await runJob(sql, "activities-overdue");
    assert.deepEqual(await factsOf(sql, id, "activity.overdue"), []);
  }
});

Deno.test("Eight simultaneous runs of the jobs report each deal and activity once (spec 6.1)", async () => {
  await using sql = openDatabase(8);
  const { key } = await makeWorkspace(sql);
  const deals = await Promise.all(Array.from({ length: 20 }, () => makeDeal(key)));
  const due_at = new Date(Date.now() - 1000).toISOString();
  const activities = await Promise.all(deals.map(async ({ id }) => {
    const { body } = await client(key).post("/api-v1-activities", { deal_id: id, due_at });
    return body.id as string;
  }));
  for (const { id } of deals) await setLastMovement(sql, id, "20 days");
  const runs = ["deals-stale", "activities-overdue"].flatMap((job) => Array<string>(4).fill(job));
  await Promise.all(runs.map((job) => runJob(sql, job)));
  for (const { id } of deals) assert.equal((await factsOf(sql, id, "deal.stale")).length, 1);
  for (const id of activities) assert.equal((await factsOf(sql, id, "activity.overdue")).length, 1);
});

test("The jobs read only the rows that they report, however many others there are", async ({ sql, workspace: { id, memberId, pipelineId, stages } }) => {
  await sql`
    with deal as (
      insert into crm.deals (workspace_id, title, pipeline_id, stage_id, owner_id, moved_at, stale_reported_for)
      select ${id}, 'Parado', ${pipelineId}, ${stages[0].id}, ${memberId}, t.at, t.at
      from generate_series(1, 3000), (select now() - interval '1 year' as at) t
      returning workspace_id, id, owner_id, moved_at
    )
    insert into crm.activities (workspace_id, deal_id, owner_id, created_by_id, title, due_at, overdue_reported_for)
    select workspace_id, id, owner_id, owner_id, 'Atrasada', moved_at, moved_at from deal`;
  await sql`update crm.deals set stale_reported_for = moved_at where workspace_id = ${id}`;
  // Deals that are not stale yet must not be read either.
  await sql`
    insert into crm.deals (workspace_id, title, pipeline_id, stage_id, owner_id)
    select ${id}, 'Novo', ${pipelineId}, ${stages[0].id}, ${memberId} from generate_series(1, 1000)`;
  // First reports what earlier tests left, because the measured run would read those rows too.
  for (const job of ["deals-stale", "activities-overdue"]) await runJob(sql, job);
  await sql`vacuum analyze crm.deals`;
  await sql`vacuum analyze crm.activities`;
  // Opens a new session: in the same session the counts of an earlier transaction stay visible until Postgres flushes
  // them.
  await using session = openDatabase();
  const reads = await session.begin(async (sql) => {
    await sql`select crm.emit_stale_deals(), crm.emit_overdue_activities()`;
    return await sql<{ table: string; seq_scan: string; idx_tup_fetch: string }[]>`
      select relname as table, seq_scan, idx_tup_fetch from pg_stat_xact_user_tables
      where schemaname = 'crm' and relname in ('deals', 'activities')`;
  });
  assert.equal(reads.length, 2);
  for (const { table, seq_scan, idx_tup_fetch } of reads) {
    assert.equal(Number(seq_scan), 0, table);
    assert.ok(Number(idx_tup_fetch) < 100, `${table}: ${idx_tup_fetch} rows`);
  }
});
