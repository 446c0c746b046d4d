import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import {
  assertShown,
  create,
  ids,
  makeMember,
  nextMillisecond,
  UNKNOWN_ID,
} from "../support/record_fixtures.ts";
import { testRecordRules } from "../support/record_rules.ts";
import { test } from "../support/scenario.ts";

const ACTIVITIES = "/api-v1-activities";

testRecordRules({
  path: ACTIVITIES,
  minimal: { title: "Ligar" },
  ofDeal: "created",
  // A null title becomes the label of the type.
  defaults: { title: "Tarefa", type: "tarefa", status: "pendente", is_online_meeting: false },
  limits: { type: { alsoBad: [" "] }, title: { alsoBad: [" "] } },
  references: ["contact_id", "owner_id"],
});

test("POST /api-v1-activities needs only deal_id and fills in the rest; GET and the list return the same activity (spec 2.7, 4.6)", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const filled = {
    workspace_id: workspace.id,
    deal_id: deal.id,
    contact_id: deal.contactId,
    owner_id: workspace.memberId,
    created_by_id: workspace.memberId,
    type: "tarefa",
    title: "Tarefa",
    status: "pendente",
    is_online_meeting: false,
    is_overdue: false,
  };
  const nulls = { contact_id: null, owner_id: null, type: null, title: null, status: null };
  const made = [];
  for (const nothing of [{}, nulls]) {
    const created = await api.post(ACTIVITIES, { deal_id: deal.id, ...nothing });
    const { id, created_at, updated_at, ...rest } = created.body;
    assertShown(rest, filled);
    assert.equal(created_at, updated_at);
    assert.deepEqual((await api.get(`${ACTIVITIES}/${id}`)).body, created.body);
    made.unshift(created.body);
    await nextMillisecond();
  }
  assert.deepEqual((await api.get(ACTIVITIES)).body.data, made);
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

test("activities: created_by_id is the key's creator, even if inactive; deal_id must be a known deal and cannot be changed (spec 7)", async ({ sql, workspace, api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const seller = await makeMember(sql, workspace);
  const { key } = await makeKey(sql, workspace.id, { memberId: seller });
  for (const is_active of [true, false]) {
    await sql`update crm.members set is_active = ${is_active} where id = ${seller}`;
    assert.equal((await client(key).post(ACTIVITIES, { deal_id })).body.created_by_id, seller);
  }
  assertError(await api.post(ACTIVITIES, { deal_id: UNKNOWN_ID }), "invalid_reference", ["deal_id"]);
  const { id } = (await api.post(ACTIVITIES, { deal_id })).body;
  const reply = await api.patch(`${ACTIVITIES}/${id}`, { deal_id: (await newDeal()).id, is_overdue: true });
  assert.equal(reply.body.deal_id, deal_id);
  assert.equal(reply.headers.get("X-Ignored-Fields"), "deal_id, is_overdue");
});

test("activities are overdue while they are pendente and their due_at has passed", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  const make = (body: object) => create(workspace.key, ACTIVITIES, { deal_id: deal.id, ...body });
  const past = "2020-01-01T00:00:00Z";
  const late = await make({ due_at: past });
  const others = [
    await make({ due_at: past, status: "concluida" }),
    await make({ due_at: past, status: "cancelada" }),
    await make({ due_at: "2999-01-01T00:00:00Z" }),
    await make({}),
  ];
  assert.equal(late["is_overdue"], true);
  assert.ok(others.every((activity) => activity["is_overdue"] === false));
  assert.deepEqual(ids(await api.get(`${ACTIVITIES}?is_overdue=true`)), [late.id]);
  const inTime = others.map(({ id }) => id).reverse();
  assert.deepEqual(ids(await api.get(`${ACTIVITIES}?is_overdue=false`)), inTime);
  const done = (await api.patch(`${ACTIVITIES}/${late.id}`, { status: "concluida" })).body;
  assert.equal(done.is_overdue, false);
});

test("activities: completed_at is set when the status becomes concluida, and cleared when the status becomes another", async ({ sql, api, newDeal }) => {
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
  // A change that does not come through the API must clear completed_at too.
  await sql`update crm.activities set status = 'pendente' where id = ${created.id}`;
  assert.equal((await api.get(`${ACTIVITIES}/${created.id}`)).body.completed_at, null);
});

test("a new activity emits activity.created once, and the event shows the activity's current values (spec 6.1)", async ({ sql, workspace, api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const { id } = (await api.post(ACTIVITIES, { deal_id, is_online_meeting: true })).body;
  const data = (await api.patch(`${ACTIVITIES}/${id}`, { status: "concluida" })).body;
  const events = await sql`
    select crm.event_data(e, 'activity') as data from crm.events e
    where e.workspace_id = ${workspace.id} and e.object_id = ${id} and e.event = 'activity.created'`;
  assert.deepEqual([...events], [{ data }]);
  assert.deepEqual([data.deal_id, data.is_online_meeting], [deal_id, true]);
});
