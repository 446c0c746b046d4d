// The parameter `dry_run` of upserts and batches: the same reply as the call, but nothing is written.
import assert from "node:assert/strict";
import { upsert } from "../../support/batches.ts";
import { assertError } from "../../support/client.ts";
import { create, eventsOf, ids } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { recordingCrm } from "../../support/sdk.ts";

const CONTACTS = "/api-v1-contacts";

test("A batch with dry_run says what would happen to each row, and writes nothing", async ({ sql, workspace, api }) => {
  const known = await create(workspace.key, CONTACTS, { name: "Ana", email: "ana@exemplo.com.br" });
  const events = await eventsOf(sql, workspace.id);
  const items = [
    upsert("email", { name: "Ana Souza", email: "ana@exemplo.com.br" }),
    upsert("email", { name: "Bruno", email: "bruno@exemplo.com.br" }),
    { op: "create", data: { name: "Carla", owner_id: crypto.randomUUID() } },
    upsert("email", { name: "Bruno outra vez", email: "bruno@exemplo.com.br" }),
  ];
  const headers = { "Idempotency-Key": "importacao-1" };
  const tried = await api.post(`${CONTACTS}/batch?dry_run=true`, { items }, headers);
  assert.equal(tried.status, 200);
  const { results, summary } = tried.body;
  assert.deepEqual(summary, { created: 1, updated: 2, failed: 1 });
  assert.deepEqual(results[0], { index: 0, status: 200, id: known.id });
  assert.deepEqual(results[1], { index: 1, status: 201 }, "the creation is rolled back, so it has no id");
  assert.deepEqual([results[2].status, results[2].error.code], [422, "invalid_reference"]);
  assert.equal(results[3].status, 200, "the upsert finds the record of an earlier row");
  assert.deepEqual(ids(await api.get(CONTACTS)), [known.id]);
  assert.equal((await api.get(`${CONTACTS}/${known.id}`)).body.name, "Ana");
  assert.deepEqual(await eventsOf(sql, workspace.id), events);

  const done = await api.post(`${CONTACTS}/batch`, { items }, headers);
  assert.deepEqual([done.body.summary, done.headers.get("Idempotent-Replayed")], [summary, null]);
  assert.equal(ids(await api.get(CONTACTS)).length, 2);
});

test("An upsert with dry_run shows the record as it would be, both for an update and for a creation", async ({ sql, workspace, api }) => {
  const known = await create(workspace.key, CONTACTS, {
    name: "Ana",
    email: "ana@exemplo.com.br",
    phone: "1234",
  });
  const events = await eventsOf(sql, workspace.id);
  const send = (body: Record<string, unknown>, more = "&dry_run=true") =>
    api.post(`${CONTACTS}/upsert?match_by=email${more}`, body);
  const found = await send({ email: "ana@exemplo.com.br", name: "Ana Souza" });
  const { created, id, name, phone } = found.body;
  assert.deepEqual([found.status, created, id, name, phone], [200, false, known.id, "Ana Souza", "1234"]);
  const made = await send({ email: "bruno@exemplo.com.br", name: "Bruno" });
  assert.deepEqual([made.status, made.body.created, made.body.name], [200, true, "Bruno"]);
  assert.equal(made.headers.get("Location"), null);
  assertError(await send({ email: "carla@exemplo.com.br" }), "validation_error", ["name"]);
  assert.deepEqual(ids(await api.get(CONTACTS)), [known.id]);
  assert.equal((await api.get(`${CONTACTS}/${known.id}`)).body.name, "Ana");
  assert.deepEqual(await eventsOf(sql, workspace.id), events);
  assert.equal((await send({ email: "bruno@exemplo.com.br", name: "Bruno" }, "&dry_run=false")).status, 201);
});

test("A call with dry_run counts towards the rate limit, and the SDK can send a batch and an upsert with dry_run", async ({ workspace, api }) => {
  const { crm, sent } = recordingCrm(workspace.key);
  const item = { op: "create", data: { name: "Ana" } } as const;
  const tried = await crm.contacts.batch([item], { dryRun: true });
  assert.deepEqual(tried.summary, { created: 1, updated: 0, failed: 0 });
  const contact = { name: "Ana", email: "ana@exemplo.com.br" };
  const upserted = await crm.contacts.upsert("email", contact, { dryRun: true });
  assert.equal(upserted.created, true);
  assert.deepEqual(sent.map(({ query }) => query.get("dry_run")), ["true", "true"]);
  const { headers, body } = await api.get(CONTACTS);
  assert.deepEqual([body.data, headers.get("RateLimit")], [[], '"default";r=99997;t=60']);
});
