// POST …/batch: up to 100 creations, changes and upserts in one call.
import assert from "node:assert/strict";
import { BATCH, batches, create, full, statuses, update, upsert } from "../../support/batches.ts";
import { assertError, client } from "../../support/client.ts";
import { makeKey, makeWorkspaceWithDeal } from "../../support/fixtures.ts";
import { eventsOf, ids, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";

Deno.test("Batches create and read activities, companies, contacts, deals and notes, update all but notes, and upsert companies, contacts and deals", () => {
  const operations = batches.map(({ title, route }) => [title, Object.keys(route.endpoint.operations!)]);
  assert.deepEqual(Object.fromEntries(operations), {
    "POST /api-v1-activities/batch": ["create", "update", "get"],
    "POST /api-v1-companies/batch": ["create", "update", "get", "upsert"],
    "POST /api-v1-contacts/batch": ["create", "update", "get", "upsert"],
    "POST /api-v1-deals/batch": ["create", "update", "get", "upsert"],
    "POST /api-v1-notes/batch": ["create", "get"],
  });
});

for (const { resource, route: { endpoint }, title } of batches) {
  const path = `/${resource.name}`;
  const event = endpoint.verb.replace("_batch", ".created");
  const table = resource.name.replace("api-v1-", "crm.");
  /** The field that shows which item created a record. */
  const shown = { "crm.notes": "body", "crm.activities": "title", "crm.deals": "title" }[table] ?? "name";
  const isOfDeal = ["crm.notes", "crm.activities"].includes(table);
  /** A body that creates a record of this resource. */
  const bodyFor = (deal_id: string, index = 0) => ({
    [shown]: `Item ${index}`,
    ...(isOfDeal && { deal_id }),
  });
  /** A field that refers to another record. */
  const reference = isOfDeal ? "deal_id" : "owner_id";

  test(`${title} runs 100 items, ten creations by one statement even if one of the ten fails, counts as one call for the rate limit, and emits one event for each record`, async ({ sql, workspace: { id }, newDeal }) => {
    const deal = await newDeal();
    const before = (await eventsOf(sql, id)).filter((name) => name === event).length;
    await sql`update crm.workspaces set rate_limit_per_minute = 50 where id = ${id}`;
    const { key: other } = await makeKey(sql, id);
    const items = full((index) => create(bodyFor(deal.id, index)));
    items[13] = create({ ...bodyFor(deal.id, 13), [reference]: UNKNOWN_ID });
    const reply = await client(other).post(`${path}/batch`, { items });
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.headers.get("RateLimit")!, /r=49;/);
    assert.equal(reply.headers.get("Location"), null);
    const { results, summary } = reply.body;
    assert.deepEqual(summary, { created: 99, updated: 0, failed: 1 });
    assert.deepEqual(statuses(reply), full((index) => index === 13 ? 422 : 201));
    assert.equal(results[13].error.code, "invalid_reference");
    assert.equal((await eventsOf(sql, id)).filter((name) => name === event).length - before, 99);

    const rows = await sql<{ id: string; text: string; statement: string }[]>`
      select id, ${sql(shown)} as text, xmin || ' ' || cmin as statement from ${sql(table)}
      where workspace_id = ${id}`;
    const byId = new Map(rows.map((row) => [row.id, row]));
    const statements = Array.from({ length: 10 }, () => new Set<string>());
    for (const { index, id } of results.filter(({ id }: { id?: string }) => id)) {
      assert.equal(byId.get(id)!.text, `Item ${index}`);
      statements[Math.floor(index / 10)]!.add(byId.get(id)!.statement);
    }
    assert.deepEqual(statements.map(({ size }) => size), Array(10).fill(1));
  });

  test(`${title} answers the same for a record of another workspace as for a record that does not exist`, async ({ sql, api, newDeal }) => {
    const own = await newDeal();
    const { api: theirs, deal } = await makeWorkspaceWithDeal(sql);
    const { body: { results: [made] } } = await theirs.post(`${path}/batch`, {
      items: [create(bodyFor(deal.id))],
    });
    const items = (id: string, dealId: string, owner_id: string) => [
      ...("update" in endpoint.operations! ? [update(id, { title: "B", name: "B" })] : []),
      create({ ...bodyFor(own.id), [reference]: isOfDeal ? dealId : owner_id }),
    ];
    const owner = (await theirs.get(`/api-v1-deals/${deal.id}`)).body.owner_id;
    const foreign = await api.post(`${path}/batch`, { items: items(made.id, deal.id, owner) });
    const unknown = await api.post(`${path}/batch`, { items: items(UNKNOWN_ID, UNKNOWN_ID, UNKNOWN_ID) });
    assert.equal(foreign.text, unknown.text);
    const codes = foreign.body.results.map(({ error }: { error: { code: string } }) => error.code);
    assert.deepEqual(codes, [
      ...("update" in endpoint.operations! ? ["not_found"] : []),
      "invalid_reference",
    ]);
  });
}

for (const path of ["/api-v1-contacts", "/api-v1-companies"]) {
  test(`POST ${path}/batch creates the records of upserts with new external_ids by one statement, and finds stored records and those of earlier items`, async ({ sql, api }) => {
    const byId = (external_id: string | null, name: string) => upsert("external_id", { external_id, name });
    const send = async (...items: unknown[]) => {
      const reply = await api.post(`${path}/batch`, { items });
      const made = reply.body.results.map(({ id }: { id?: string }) => id);
      const rows = await sql<{ id: string; statement: string }[]>`
        select id, xmin || ' ' || cmin as statement from ${sql(path.replace("/api-v1-", "crm."))}
        where id = any (${made.filter(Boolean)}::uuid[])`;
      const statements = new Set(rows.map(({ statement }) => statement)).size;
      return { statuses: statuses(reply), ids: made, statements };
    };
    const first = await send(byId("1", "A"), create({ name: "B" }), byId("2", "C"));
    assert.deepEqual([first.statuses, first.statements], [[201, 201, 201], 1]);
    const twice = await send(byId("3", "A"), byId("3", "B"), byId("1", "C"));
    assert.deepEqual(twice.statuses, [201, 200, 200]);
    assert.deepEqual(twice.ids, [twice.ids[0], twice.ids[0], first.ids[0]]);
    const taken = await send(byId("4", "A"), create({ external_id: "4", name: "B" }), byId(null, "C"));
    assert.deepEqual(taken.statuses, [201, 409, 422]);
  });
}

test("items run in order: later items find records that earlier items created, and two changes to one record are both kept", async ({ api }) => {
  const reply = await api.post(BATCH, {
    items: [
      upsert("email", { name: "Ana", email: "ana@x.com" }),
      upsert("email", { email: " ANA@x.com", job_title: "Diretora" }),
      upsert("phone", { name: "Bia", phone: "11 97777-1234" }),
      upsert("phone", { phone: "+5511977771234", notes: "x" }),
    ],
  });
  assert.deepEqual(statuses(reply), [201, 200, 201, 200]);
  assert.deepEqual(reply.body.summary, { created: 2, updated: 2, failed: 0 });
  const [ana, same] = reply.body.results;
  assert.equal(ana.id, same.id);
  const changed = await api.post(BATCH, {
    items: [update(ana.id, { phone2: "1" }), update(ana.id, { whatsapp: "2" })],
  });
  assert.deepEqual(changed.body.summary, { created: 0, updated: 2, failed: 0 });
  const { name, job_title, phone2, whatsapp } = (await api.get(`${CONTACTS}/${ana.id}`)).body;
  assert.deepEqual([name, job_title, phone2, whatsapp], ["Ana", "Diretora", "1", "2"]);
});

test("POST …/batch with atomic writes all items or none, and names each item that failed (spec 7)", async ({ sql, workspace, api }) => {
  const send = (...items: unknown[]) => api.post(BATCH, { atomic: true, items });
  const good = Array.from({ length: 30 }, (_, index) => create({ name: `${index}` }));
  const invalid = await send(...good, create({ name: "" }), update("x", {}), create({ name: "A", email: 1 }));
  assertError(invalid, "validation_error", ["items[30].name", "items[31].id", "items[32].email"]);
  const failed = await send(
    create({ name: "A", company_id: UNKNOWN_ID }),
    ...good,
    update(UNKNOWN_ID, { name: "B" }),
    upsert("email", { email: "a@x.com" }),
  );
  const details = assertError(failed, "batch_failed");
  assert.deepEqual(Object.keys(details), ["items[0].company_id", "items[31]", "items[32].name"]);
  assert.equal(details["items[0].company_id"], "Não existe no workspace");
  assert.equal(details["items[31]"], (await api.get(`${CONTACTS}/${UNKNOWN_ID}`)).body.error.message);
  assert.deepEqual(ids(await api.get(CONTACTS)), []);
  assert.deepEqual(await eventsOf(sql, workspace.id), []);
  const made = await send(...good);
  assert.deepEqual(made.body.summary, { created: 30, updated: 0, failed: 0 });
});

test("an Idempotency-Key covers the whole batch, and replays the errors of failed items", async ({ sql, workspace, api }) => {
  const body = {
    items: [create({ name: "A" }), create({ name: "B", company_id: UNKNOWN_ID }), create({ name: "" })],
  };
  const send = (sent: unknown) => api.post(BATCH, sent, { "Idempotency-Key": "k" });
  const first = await send(body);
  assert.deepEqual(first.body.summary, { created: 1, updated: 0, failed: 2 });
  const events = await eventsOf(sql, workspace.id);
  const again = await send(body);
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.equal(again.headers.get("Idempotent-Replayed"), "true");
  assert.deepEqual(await eventsOf(sql, workspace.id), events);
  assertError(await send({ items: body.items.slice(0, 1) }), "idempotency_conflict");
  assert.equal(ids(await api.get(CONTACTS)).length, 1);
});

test("a deal's stage, an activity's defaults and a note's author follow the same rules as in calls for one record", async ({ sql, workspace, api, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const { stages: [, second], memberId } = workspace;
  const deals = await api.post("/api-v1-deals/batch", {
    items: [
      create({ title: "A", stage_id: second.id }),
      create({ title: "B", stage_id: UNKNOWN_ID }),
      update(deal_id, { status: "ganho" }),
      create({}),
      upsert("external_id", { external_id: "p", value: 1 }),
    ],
  });
  const codes = deals.body.results.map(({ error }: { error?: { code: string } }) => error?.code);
  assert.deepEqual(codes, [undefined, "invalid_reference", ...Array(3).fill("validation_error")]);
  assert.equal(deals.body.results[2].error.details[0].field, "items[2].status");
  const activities = await api.post("/api-v1-activities/batch", { items: [create({ deal_id }), create({})] });
  assert.deepEqual(statuses(activities), [201, 422]);
  const activity = (await api.get(`/api-v1-activities/${activities.body.results[0].id}`)).body;
  assert.deepEqual([activity.type, activity.status, activity.owner_id], ["tarefa", "pendente", memberId]);
  await sql`update crm.members set is_active = false where id = ${memberId}`;
  const notes = await api.post("/api-v1-notes/batch", { items: [create({ deal_id, body: "x" })] });
  assert.equal(notes.body.results[0].error.code, "no_author_available");
});
