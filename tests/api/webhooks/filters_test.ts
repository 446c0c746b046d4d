// Which events a subscription with filters gets: as they happen, while it is behind, and by a recovery.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, type client, type Reply } from "../../support/client.ts";
import { runJob } from "../../support/jobs.ts";
import { eventually, openMailbox } from "../../support/mailbox.ts";
import { makeMember, makePipeline, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { customer, makeProposal } from "../../support/proposals.ts";
import { test } from "../../support/scenario.ts";
import { WEBHOOKS } from "../../support/webhooks.ts";

const target_url = "https://hooks.example.com/crm";

/** Subscribes with filters; returns the id. */
async function subscribe(
  api: ReturnType<typeof client>,
  event_types: string[],
  filters: Record<string, unknown>,
  url = target_url,
): Promise<string> {
  const { status, body, text } = await api.post(WEBHOOKS, { event_types, target_url: url, filters });
  assert.equal(status, 201, text);
  return body.id;
}

/** The events for which a subscription has a delivery, with their objects, oldest first. */
async function eventsFor(sql: Sql, subscriptionId: string): Promise<[event: string, object: string][]> {
  const rows = await sql<{ event: string; object_id: string }[]>`
    select e.event, e.object_id from crm.webhook_deliveries d
    join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
    where d.subscription_id = ${subscriptionId} order by e.id`;
  return rows.map(({ event, object_id }) => [event, object_id]);
}

async function made(reply: Promise<Reply>): Promise<string> {
  const { status, body, text } = await reply;
  assert.equal(status, 201, text);
  return body.id;
}

test("A subscription with filters receives only the events that pass all of them, and a subscription without filters receives all events", async ({ sql, workspace, api }) => {
  const other = await makePipeline(sql, workspace);
  const mailbox = openMailbox();
  const all = openMailbox();
  const filters = { pipeline_id: workspace.pipelineId, owner_id: workspace.memberId };
  await subscribe(api, ["deal.created", "deal.won", "contact.created"], filters, mailbox.url);
  await api.post(WEBHOOKS, { event_types: ["deal.created"], target_url: all.url });
  const seller = await makeMember(sql, workspace);
  const here = await made(api.post("/api-v1-deals", { title: "Aqui" }));
  await made(api.post("/api-v1-deals", { title: "Outro funil", pipeline_id: other.id }));
  await made(api.post("/api-v1-deals", { title: "Outra pessoa", owner_id: seller }));
  await made(api.post("/api-v1-contacts", { name: "Sem funil" }));
  await api.post(`/api-v1-deals/${here}/win`);
  await all.waitFor(3);
  const messages = await mailbox.waitFor(2);
  assert.deepEqual(messages.map(({ body }) => [body.event, body.object_id]).sort(), [
    ["deal.created", here],
    ["deal.won", here],
  ]);
});

test("Filters by pipeline_id and stage_id look at the deal, also for events about its activities, notes and proposals", async ({ sql, workspace, api }) => {
  const types = [
    "deal.stage_changed",
    "activity.created",
    "note.created",
    "proposal.viewed",
    "company.created",
    "lead.received",
  ];
  const [first, second] = workspace.stages;
  const inSecond = await subscribe(api, types, { stage_id: [second.id] });
  const inBoth = await subscribe(api, types, { stage_id: [first.id, second.id] });
  const lead = (await api.post("/api-v1-leads", { first_name: "Ana", company_name: "Sol" })).body.lead;
  const deal_id: string = lead.deal_id;
  const early = await made(api.post("/api-v1-notes", { deal_id, body: "Antes" }));
  await api.post(`/api-v1-deals/${deal_id}/move-stage`, { stage_id: second.id });
  const note = await made(api.post("/api-v1-notes", { deal_id, body: "Depois" }));
  const activity = await made(api.post("/api-v1-activities", { deal_id }));
  const proposal = await makeProposal(sql, deal_id);
  await customer(proposal.link).view();
  const later = [
    ["deal.stage_changed", deal_id],
    ["note.created", note],
    ["activity.created", activity],
    ["proposal.viewed", proposal.id],
  ];
  assert.deepEqual(await eventsFor(sql, inSecond), later);
  assert.deepEqual(await eventsFor(sql, inBoth), [
    ["lead.received", deal_id],
    ["note.created", early],
    ...later,
  ]);
});

test("A filter by owner_id looks at the object's owner, or at the owner of its deal if the object has none", async ({ sql, workspace, api }) => {
  const owner_id = await makeMember(sql, workspace);
  const types = ["contact.created", "company.created", "activity.created", "note.created"];
  const id = await subscribe(api, types, { owner_id });
  const deal_id = await made(api.post("/api-v1-deals", { title: "Dela", owner_id }));
  await made(api.post("/api-v1-contacts", { name: "De outra pessoa" }));
  const contact = await made(api.post("/api-v1-contacts", { name: "Ana", owner_id }));
  const company = await made(api.post("/api-v1-companies", { name: "Sol", owner_id }));
  // This activity has an owner of its own, so the deal's owner does not count.
  await made(api.post("/api-v1-activities", { deal_id, owner_id: workspace.memberId }));
  const activity = await made(api.post("/api-v1-activities", { deal_id, owner_id }));
  const note = await made(api.post("/api-v1-notes", { deal_id, body: "Do negócio dela" }));
  assert.deepEqual(await eventsFor(sql, id), [
    ["contact.created", contact],
    ["company.created", company],
    ["activity.created", activity],
    ["note.created", note],
  ]);
});

test("changed_fields lets a *.updated event pass only if one of the fields changed, and lets all other events pass", async ({ sql, workspace, api }) => {
  const types = ["deal.created", "deal.updated", "deal.reopened", "contact.updated"];
  const id = await subscribe(api, types, { changed_fields: ["value", "stage_id", "value"] });
  const { body: { filters } } = await api.get(`${WEBHOOKS}/${id}`);
  assert.deepEqual(filters.changed_fields, ["value", "stage_id"], "each name once");
  const deal = await made(api.post("/api-v1-deals", { title: "Um" }));
  const contact = await made(api.post("/api-v1-contacts", { name: "Ana" }));
  await api.patch(`/api-v1-deals/${deal}`, { title: "Dois" });
  await api.patch(`/api-v1-deals/${deal}`, { value: 10, title: "Três" });
  await api.patch(`/api-v1-contacts/${contact}`, { name: "Ana Souza" });
  await api.post(`/api-v1-deals/${deal}/move-stage`, { stage_id: workspace.stages[1].id });
  await api.post(`/api-v1-deals/${deal}/win`);
  await api.patch(`/api-v1-deals/${deal}`, { status: "aberto" });
  const events = (await eventsFor(sql, id)).map(([event]) => event);
  assert.deepEqual(events, ["deal.created", "deal.updated", "deal.updated", "deal.reopened"]);
});

test("Batches and merges respect filters as single calls do, whether or not the queue has room", async ({ sql, workspace, api }) => {
  const owner_id = await makeMember(sql, workspace);
  const types = ["contact.created", "deal.created", "deal.updated"];
  const batch = async (resource: string, name: string) => {
    const { body } = await api.post(`/api-v1-${resource}/batch`, {
      items: ["Um", "Dois", "Três"].map((text, n) => ({
        op: "create",
        data: { [name]: text, ...(n === 1 && { owner_id }) },
      })),
    });
    return body.results.map(({ id }: { id: string }) => id) as string[];
  };
  const expected: Record<string, [string, string][]> = {};
  for (const waiting of [50_000, 3]) {
    await sql`update crm.workspaces set max_waiting_deliveries = ${waiting} where id = ${workspace.id}`;
    const id = await subscribe(api, types, { owner_id });
    const contact = (await batch("contacts", "name"))[1]!;
    const deal = (await batch("deals", "title"))[1]!;
    expected[id] = [];
    for (const events of Object.values(expected)) {
      events.push(["contact.created", contact], ["deal.created", deal]);
    }
  }
  const behind = await sql`
    select from crm.webhook_subscriptions where workspace_id = ${workspace.id} and behind_since is not null`;
  assert.ok(behind.length > 0, "more events pass than may wait");
  await sql`update crm.workspaces set max_waiting_deliveries = 50000 where id = ${workspace.id}`;
  for (const [id, events] of Object.entries(expected)) {
    await caughtUp(sql, id);
    assert.deepEqual(await eventsFor(sql, id), events);
  }

  const only = await subscribe(api, ["deal.updated"], { owner_id });
  const [kept, merged] = await batch("contacts", "name");
  const mine = await made(api.post("/api-v1-deals", { title: "Meu", owner_id, contact_id: merged }));
  await made(api.post("/api-v1-deals", { title: "De outra pessoa", contact_id: merged }));
  await api.post(`/api-v1-contacts/${kept}/merge`, { merge_id: merged });
  assert.deepEqual(await eventsFor(sql, only), [["deal.updated", mine]]);
});

/** Runs the job that catches up, until a subscription is no longer behind. */
async function caughtUp(sql: Sql, id: string): Promise<void> {
  await eventually(async () => {
    await runJob(sql, "webhook-catch-up");
    const behind = await sql`
      select from crm.webhook_subscriptions where id = ${id} and behind_since is not null`;
    return behind.length === 0;
  }, "a subscription that is no longer behind");
}

test("POST …/recover queues the missed events that the filters let pass now", async ({ sql, workspace, api }) => {
  const mailbox = openMailbox();
  const other = await makePipeline(sql, workspace);
  const id = await subscribe(api, ["deal.created"], { pipeline_id: other.id }, mailbox.url);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  const since = new Date(Date.now() - 1000).toISOString();
  await made(api.post("/api-v1-deals", { title: "Padrão" }));
  const missed = await made(api.post("/api-v1-deals", { title: "Outro", pipeline_id: other.id }));
  await sql`update crm.webhook_subscriptions set is_active = true where id = ${id}`;
  const recover = async () => (await api.post(`${WEBHOOKS}/${id}/recover`, { since })).body.count;
  assert.equal(await recover(), 1);
  const [message] = await mailbox.waitFor(1);
  assert.equal(message!.body.object_id, missed);
  await api.patch(`${WEBHOOKS}/${id}`, { filters: null });
  assert.equal(await recover(), 1, "without filters, the other event is owed too");
});

test("POST and PATCH refuse filters with an unknown id, name or field, and name what is wrong", async ({ sql, workspace, api }) => {
  const other = await makePipeline(sql, workspace);
  const id = await subscribe(api, ["deal.won"], {});
  const sent = async (filters: unknown) => [
    await api.post(WEBHOOKS, { event_types: ["deal.won"], target_url, filters }),
    await api.patch(`${WEBHOOKS}/${id}`, { filters }),
  ];
  for (const name of ["pipeline_id", "stage_id", "owner_id"]) {
    for (const value of [UNKNOWN_ID, [workspace.pipelineId, UNKNOWN_ID]]) {
      for (const reply of await sent({ [name]: value })) {
        assertError(reply, "invalid_reference", [`filters.${name}`]);
        assert.ok(reply.body.error.details[0].choices.length > 0, name);
      }
    }
  }
  const lists = {
    pipeline_id: "GET /api-v1-pipelines",
    stage_id: "GET /api-v1-pipelines",
    owner_id: "GET /api-v1-workspace",
  };
  const names = Object.keys(lists);
  const noUuid = "Deve ser um UUID; os ids estão em ";
  const tooMany = Array.from({ length: 21 }, () => crypto.randomUUID());
  const invalid: [value: unknown, message: string, index?: string][] = [
    ["x", noUuid],
    [["x"], noUuid, ".0"],
    [[], "Deve ter no mínimo 1 item"],
    [tooMany, "Deve ser um UUID ou uma lista de 1 a 20 UUIDs"],
    [7, "Deve ser um UUID ou uma lista de 1 a 20 UUIDs"],
  ];
  for (const [value, message, index = ""] of invalid) {
    const expected = Object.fromEntries(
      Object.entries(lists).map((
        [name, list],
      ) => [`filters.${name}${index}`, message === noUuid ? message + list : message]),
    );
    for (const reply of await sent(Object.fromEntries(names.map((name) => [name, value])))) {
      assert.deepEqual(assertError(reply, "validation_error"), expected);
    }
  }
  const wrong: [filters: Record<string, unknown>, ...fields: string[]][] = [
    [{ pipeline_id: workspace.pipelineId, stage_id: other.stages[0] }, "stage_id"],
    [{ changed_fields: ["value", "valor", "updated_at"] }, "changed_fields.1", "changed_fields.2"],
    [{ changed_fields: [] }, "changed_fields"],
    [{ changed_fields: "value" }, "changed_fields"],
    [{ changed_fields: Array(21).fill("value") }, "changed_fields"],
    [{ pipeline: workspace.pipelineId }, "pipeline"],
  ];
  for (const [filters, ...fields] of wrong) {
    for (const reply of await sent(filters)) {
      assertError(reply, "validation_error", fields.map((field) => `filters.${field}`));
    }
  }
  const { body } = await api.get(`${WEBHOOKS}/${id}`);
  assert.equal(body.filters, null, "nothing was changed");
});
