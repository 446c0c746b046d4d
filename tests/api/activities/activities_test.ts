import assert from "node:assert/strict";
import { assertError, client } from "../../support/client.ts";
import { makeKey, makeWorkspaceWithDeal } from "../../support/fixtures.ts";
import {
  assertAlike,
  assertShown,
  makeContact,
  makeMember,
  UNKNOWN_ID,
} from "../../support/record_fixtures.ts";
import { testRecordRules } from "../../support/record_rules.ts";
import { test } from "../../support/scenario.ts";

const ACTIVITIES = "/api-v1-activities";

testRecordRules({
  path: ACTIVITIES,
  minimal: { title: "Ligar" },
  ofDeal: "created",
  // The test sets the type `a`, whose label is the title of an untitled activity.
  defaults: { title: "a", type: "tarefa", status: "pendente", is_online_meeting: false },
  limits: { type: { alsoBad: [" "] }, title: { alsoBad: [" "] } },
  references: { contact_id: makeContact, owner_id: makeMember },
});

test("POST /api-v1-activities answers 201 with the whole record, which GET and the list return again (spec 2.7)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const sent = {
    deal_id: deal.id,
    contact_id: deal.contactId,
    owner_id: workspace.memberId,
    type: "reuniao",
    title: "Apresentação",
    description: "  duas\nlinhas ",
    due_at: "2030-01-31T12:00:00.000Z",
    duration_minutes: 45,
    is_online_meeting: true,
    meeting_url: "https://meet.exemplo.com/abc?x=1",
    location: "Sala 3",
    status: "pendente",
  };
  const created = await api.post(ACTIVITIES, sent);
  assert.equal(created.status, 201);
  const { id, created_at, updated_at, ...rest } = created.body;
  const own = { workspace_id: workspace.id, created_by_id: workspace.memberId, is_overdue: false };
  assertShown(rest, { ...sent, ...own });
  assert.equal(created_at, updated_at);
  assert.ok(created.headers.get("Location")?.endsWith(`${ACTIVITIES}/${id}`));
  assert.deepEqual((await api.get(`${ACTIVITIES}/${id}`)).body, created.body);
  assert.deepEqual((await api.get(ACTIVITIES)).body, {
    data: [created.body],
    meta: { next_cursor: null, has_more: false },
  });
});

test("POST /api-v1-activities needs only deal_id and fills in the rest (spec 4.6)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  for (const nothing of [{}, { contact_id: null, owner_id: null, type: null, title: null, status: null }]) {
    const { body } = await api.post(ACTIVITIES, { deal_id: deal.id, ...nothing });
    assert.equal(body.contact_id, deal.contactId);
    assert.equal(body.owner_id, workspace.memberId);
    assert.equal(body.type, "tarefa");
    assert.equal(body.title, "Tarefa");
    assert.equal(body.status, "pendente");
    assert.equal(body.is_online_meeting, false);
    assert.equal(body.due_at, null);
  }
  const reply = await api.post(ACTIVITIES, {});
  assertError(reply, "validation_error", ["deal_id"]);
});

test("POST /api-v1-activities names an untitled activity by the label of its type", async ({ api, newDeal }) => {
  const deal = await newDeal();
  const labels = {
    tarefa: "Tarefa",
    ligacao: "Ligação",
    reuniao: "Reunião",
    email: "E-mail",
    whatsapp: "WhatsApp",
    visita: "Visita",
    "Demonstração": "Demonstração",
  };
  for (const [type, title] of Object.entries(labels)) {
    assert.equal((await api.post(ACTIVITIES, { deal_id: deal.id, type })).body.title, title);
  }
});

test("POST /api-v1-activities: created_by_id is the key's creator, and so is the owner while active (spec 7)", async ({ sql, workspace, newDeal }) => {
  const deal = await newDeal();
  const seller = await makeMember(sql, workspace);
  const { key } = await makeKey(sql, workspace.id, { memberId: seller });
  const create = (owner_id?: string) => client(key).post(ACTIVITIES, { deal_id: deal.id, owner_id });

  assert.equal((await create()).body.owner_id, seller);
  const given = (await create(workspace.memberId)).body;
  assert.deepEqual([given.owner_id, given.created_by_id], [workspace.memberId, seller]);
  await sql`update crm.members set is_active = false where id = ${seller}`;
  const left = (await create()).body;
  assert.deepEqual([left.owner_id, left.created_by_id], [workspace.memberId, seller]);
  await sql`update crm.members set is_active = false where workspace_id = ${workspace.id}`;
  assertError(await create(), "no_owner_available");
});

test("POST /api-v1-activities refuses a deal of another workspace as one that does not exist, and PATCH ignores deal_id (spec 7)", async ({ sql, api, newDeal }) => {
  const deal = await newDeal();
  const other = await makeWorkspaceWithDeal(sql);
  const unknown = await api.post(ACTIVITIES, { deal_id: UNKNOWN_ID });
  assertError(unknown, "invalid_reference", ["deal_id"]);
  assertAlike(await api.post(ACTIVITIES, { deal_id: other.deal.id }), unknown);
  const { id } = (await api.post(ACTIVITIES, { deal_id: deal.id })).body;
  const reply = await api.patch(`${ACTIVITIES}/${id}`, { deal_id: (await newDeal()).id, is_overdue: true });
  assert.equal(reply.body.deal_id, deal.id);
  assert.equal(reply.headers.get("X-Ignored-Fields"), "deal_id, is_overdue");
});

test("activities: completed_at is set when the status becomes concluida and cleared when it leaves", async ({ sql, api, newDeal }) => {
  const deal = await newDeal();
  const { id } = (await api.post(ACTIVITIES, { deal_id: deal.id })).body;
  const patch = async (body: unknown) => (await api.patch(`${ACTIVITIES}/${id}`, body)).body;

  const done = await patch({ status: "concluida" });
  assert.equal(done.completed_at, done.updated_at);
  assert.equal((await patch({ status: "concluida", title: "Outro" })).completed_at, done.completed_at);
  for (const status of ["cancelada", "pendente"]) {
    assert.equal((await patch({ status })).completed_at, null);
    assert.notEqual((await patch({ status: "concluida" })).completed_at, null);
  }
  const created = (await api.post(ACTIVITIES, { deal_id: deal.id, status: "concluida" })).body;
  assert.equal(created.completed_at, created.created_at);
  // Writes that do not come through the API must set it too.
  await sql`update crm.activities set status = 'pendente' where id = ${created.id}`;
  assert.equal((await api.get(`${ACTIVITIES}/${created.id}`)).body.completed_at, null);
});

test("an activity that is inserted becomes the last activity of its deal, also when the application inserts it", async ({ sql, workspace, api, newDeal }) => {
  const deal = await newDeal();
  const lastActivity = async () => {
    const [row] = await sql<[{ at: string | null }]>`
      select crm.iso(last_activity_at) as at from crm.deals where id = ${deal.id}`;
    return row.at;
  };
  assert.equal(await lastActivity(), null);
  const first = (await api.post(ACTIVITIES, { deal_id: deal.id })).body;
  assert.equal(await lastActivity(), first.created_at);
  await api.patch(`${ACTIVITIES}/${first.id}`, { title: "Novo" });
  assert.equal(await lastActivity(), first.created_at);
  const [own] = await sql<[{ at: string }]>`
    insert into crm.activities (workspace_id, deal_id, owner_id, created_by_id, title)
    values (${workspace.id}, ${deal.id}, ${workspace.memberId}, ${workspace.memberId}, 'T')
    returning crm.iso(created_at) as at`;
  assert.equal(await lastActivity(), own.at);
});

test("an activity emits activity.created once, with its deal and whether it is an online meeting (spec 6.1)", async ({ sql, workspace, api, newDeal }) => {
  const deal = await newDeal();
  const { id } = (await api.post(ACTIVITIES, { deal_id: deal.id, is_online_meeting: true })).body;
  const current = (await api.patch(`${ACTIVITIES}/${id}`, { status: "concluida" })).body;
  const events = await sql`
    select e.event, t.object_type, crm.event_data(e, t.object_type) as data from crm.events e join crm.event_types t using (event)
    where e.workspace_id = ${workspace.id} and e.object_id = ${id} and e.event = 'activity.created'`;
  assert.deepEqual([...events], [{ event: "activity.created", object_type: "activity", data: current }]);
  assert.equal(events[0]!["data"].deal_id, deal.id);
  assert.equal(events[0]!["data"].is_online_meeting, true);
});
