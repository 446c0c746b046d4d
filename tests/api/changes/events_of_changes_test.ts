// The events that changes emit, the fields that *.updated events name, and changes that emit nothing.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { runJob } from "../../support/jobs.ts";
import { makeContact, makePipeline } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

/** The events about an object and their facts, sorted by name, without the events of its creation. */
async function changesOf(sql: Sql, objectId: string) {
  const events = await sql<{ event: string; facts: Record<string, unknown> }[]>`
    select e.event::text, e.facts from crm.events e
    where e.object_id = ${objectId} and e.event::text not in ('lead.received')
      and e.event::text not like '%.created'
    order by e.event::text, e.occurred_at`;
  return [...events];
}

const changed = (event: string, ...changed_fields: string[]) => ({ event, facts: { changed_fields } });

test("A new stage, a win and a reopening each emit deal.updated once, besides their own event", async ({ sql, workspace, api, newDeal }) => {
  const { id } = await newDeal();
  const stage = workspace.stages[1].id;
  await api.patch(`/api-v1-deals/${id}`, { stage_id: stage, title: "Outro" });
  assert.deepEqual(await changesOf(sql, id), [
    {
      event: "deal.stage_changed",
      facts: { previous_stage_id: workspace.stages[0].id, previous_pipeline_id: workspace.pipelineId },
    },
    changed("deal.updated", "stage_changed_at", "stage_id", "title"),
  ]);

  const { id: second } = await newDeal();
  const pipeline = await makePipeline(sql, workspace);
  await api.post(`/api-v1-deals/${second}/move-stage`, {
    stage_id: pipeline.stages[0],
    pipeline_id: pipeline.id,
  });
  assert.deepEqual((await changesOf(sql, second)).map(({ event }) => event), [
    "deal.stage_changed",
    "deal.updated",
  ]);

  const { id: third } = await newDeal();
  await api.post(`/api-v1-deals/${third}/win`, { value: 5 });
  await api.post(`/api-v1-deals/${third}/win`, { value: 6 });
  const won = changed("deal.updated", "closed_at", "status", "value", "won_at");
  assert.deepEqual(await changesOf(sql, third), [won, { event: "deal.won", facts: {} }]);
  await api.patch(`/api-v1-deals/${third}`, { status: "aberto" });
  await api.patch(`/api-v1-deals/${third}`, { status: "aberto" });
  assert.deepEqual((await changesOf(sql, third)).filter(({ event }) => event !== "deal.won"), [
    changed("deal.reopened", "closed_at", "status", "won_at"),
    won,
    changed("deal.updated", "closed_at", "status", "won_at"),
  ]);

  // The application reopens a lost deal. The event also names the fields of the loss, which are cleared.
  const { id: lost } = await newDeal();
  await api.post(`/api-v1-deals/${lost}/lose`, { loss_note: "caro" });
  await sql`update crm.deals set status = 'aberto' where id = ${lost}`;
  const [reopened] = (await changesOf(sql, lost)).filter(({ event }) => event === "deal.reopened");
  assert.deepEqual(reopened, changed("deal.reopened", "closed_at", "loss_note", "lost_at", "status"));
});

test("activity.completed is emitted when an activity becomes concluida or is created as concluida, and not by later edits", async ({ sql, api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const { body: { id } } = await api.post("/api-v1-activities", { deal_id });
  await api.patch(`/api-v1-activities/${id}`, { status: "cancelada" });
  await api.patch(`/api-v1-activities/${id}`, { status: "concluida" });
  await api.patch(`/api-v1-activities/${id}`, { status: "concluida", location: "Sala 2" });
  assert.deepEqual(await changesOf(sql, id), [
    changed("activity.completed", "completed_at", "status"),
    changed("activity.updated", "status"),
    changed("activity.updated", "completed_at", "status"),
    changed("activity.updated", "location"),
  ]);
  const { body: done } = await api.post("/api-v1-activities", { deal_id, status: "concluida" });
  assert.deepEqual(await changesOf(sql, done.id), [changed("activity.completed")]);
});

test("A lead that reuses a contact and fills in its empty fields emits contact.updated, which names those fields", async ({ sql, api }) => {
  const { body: { lead } } = await api.post("/api-v1-leads", { first_name: "Ana", email: "ana@x.com" });
  await api.post("/api-v1-leads", { first_name: "Bia", email: "ana@x.com" });
  assert.deepEqual(await changesOf(sql, lead.contact_id), [], "nothing was empty");
  const sent = { first_name: "Ana", email: "ana@x.com", phone: "+55 11 91234-5678", company_name: "Sol" };
  const { body: again } = await api.post("/api-v1-leads", sent);
  assert.equal(again.lead.contact_id, lead.contact_id);
  assert.deepEqual(await changesOf(sql, lead.contact_id), [
    changed("contact.updated", "company_id", "phone"),
  ]);
  await api.post("/api-v1-leads", sent);
  assert.equal((await changesOf(sql, lead.contact_id)).length, 1);

  const created = await sql`
    select e.object_id from crm.events e where e.event = 'company.created' and e.object_id = ${again.lead.company_id}`;
  assert.equal(created.length, 1, "a new company emits company.created, a reused company nothing");
});

test("A new activity changes its deal's last_activity_at; notes and jobs change no field that a client sees", async ({ sql, api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  await api.post("/api-v1-notes", { deal_id, body: "Olá" });
  await sql`update crm.deals set moved_at = now() - interval '15 days' where id = ${deal_id}`;
  await runJob(sql, "deals-stale");
  assert.deepEqual((await changesOf(sql, deal_id)).map(({ event }) => event), ["deal.stale"]);

  const { body: activity } = await api.post("/api-v1-activities", { deal_id, due_at: "2020-01-01" });
  await runJob(sql, "activities-overdue");
  assert.deepEqual((await changesOf(sql, activity.id)).map(({ event }) => event), ["activity.overdue"]);
  const updates = (await changesOf(sql, deal_id)).filter(({ event }) => event === "deal.updated");
  assert.deepEqual(updates, [changed("deal.updated", "last_activity_at")]);
});

test("A statement that changes many rows emits one event for each, also in the transaction that created the rows", async ({ sql, workspace }) => {
  const ids = await Promise.all([1, 2, 3].map(() => makeContact(sql, workspace)));
  await sql`update crm.contacts set job_title = 'Diretora' where workspace_id = ${workspace.id}`;
  for (const id of ids) {
    assert.deepEqual(await changesOf(sql, id), [changed("contact.updated", "job_title")]);
  }
  const id = await sql.begin(async (sql) => {
    const [row] = await sql<[{ id: string }]>`
      insert into crm.contacts (workspace_id, name, owner_id) values (${workspace.id}, 'Bia', ${workspace.memberId})
      returning id`;
    await sql`update crm.contacts set phone = '1' where id = ${row.id}`;
    await sql`update crm.contacts set phone = '2' where id = ${row.id}`;
    return row.id;
  });
  assert.deepEqual(await changesOf(sql, id), Array(2).fill(changed("contact.updated", "phone")));
});

test("An event has its transaction's position, and a specific event such as deal.won comes before deal.updated", async ({ sql, api, newDeal }) => {
  const { id } = await newDeal();
  await sql.begin(async (sql) => {
    await sql`update crm.deals set status = 'ganho' where id = ${id}`;
    const events = await sql`
      select e.event::text, e.position = crm.feed_position() as is_of_transaction from crm.events e
      where e.object_id = ${id} and e.event not in ('deal.created', 'lead.received') order by e.position, e.id`;
    assert.deepEqual([...events], [
      { event: "deal.won", is_of_transaction: true },
      { event: "deal.updated", is_of_transaction: true },
    ]);
  });
  const { body: activity } = await api.post("/api-v1-activities", { deal_id: id });
  await api.patch(`/api-v1-activities/${activity.id}`, { status: "concluida" });
  const inOrder = await sql`
    select e.event::text from crm.events e where e.object_id = ${activity.id} order by e.position, e.id`;
  assert.deepEqual(inOrder.map(({ event }) => event), [
    "activity.created",
    "activity.completed",
    "activity.updated",
  ]);
});
