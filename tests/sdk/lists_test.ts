import assert from "node:assert/strict";
import { CrmError, type NewContact, type Progress } from "../../clients/sdk/src/index.ts";
import { test } from "../support/scenario.ts";
import { recordingCrm, startCuttingProxy } from "../support/sdk.ts";

const creation = (data: NewContact) => ({ op: "create" as const, data });
const named = (count: number) =>
  Array.from({ length: count }, (_, index) => creation({ name: `Contato ${index}` }));

test("A batch of 1,000 contacts is sent in ten calls with its progress, and the list reads each contact once", async ({ workspace: { key } }) => {
  const { crm, sent } = recordingCrm(key);
  const progress: Progress[] = [];
  const onProgress = (step: Progress) => progress.push(step);
  const { results, summary } = await crm.contacts.batch(named(1000), { onProgress });
  assert.equal(sent.length, 10);
  assert.equal(new Set(sent.map(({ headers }) => headers.get("Idempotency-Key"))).size, 10);
  const hundreds = progress.map((_, call) => 100 * (call + 1));
  assert.deepEqual(progress.map(({ done }) => done), hundreds);
  assert.deepEqual(progress.map(({ summary }) => summary.created), hundreds);
  assert.deepEqual(summary, { created: 1000, updated: 0, failed: 0 });
  assert.deepEqual(results.map(({ index }) => index), Array.from({ length: 1000 }, (_, index) => index));
  sent.length = 0;
  const ids: string[] = [];
  for await (const { id } of crm.contacts.list()) ids.push(id);
  assert.equal(ids.length, 1000);
  assert.deepEqual(new Set<unknown>(ids), new Set(results.map(({ id }) => id)));
  assert.deepEqual(sent.map(({ query }) => query.get("limit")), Array(5).fill("200"));
});

test("A list makes no call before it is read, and none after the loop is left", async ({ workspace: { key } }) => {
  const { crm, sent } = recordingCrm(key);
  await crm.contacts.batch(named(5));
  sent.length = 0;
  const list = crm.contacts.list({ limit: 2 });
  assert.equal(sent.length, 0);
  let seen = 0;
  for await (const _ of list) if (++seen === 3) break;
  assert.equal(sent.length, 2);
  assert.equal((await list.toArray()).length, 5);
  const first = await list.page();
  assert.equal(first.meta.has_more, true);
  const next = await crm.contacts.list({ limit: 2, cursor: first.meta.next_cursor! }).page();
  assert.equal(next.data.length, 2);
  assert.ok(!first.data.some(({ id }) => id === next.data[0]!.id));
});

test("Filters with several values, booleans and dates are sent as the API reads them", async ({ workspace: { key } }) => {
  const { crm, sent } = recordingCrm(key);
  await crm.deals.list({ status: ["ganho", "perdido"], since: new Date(0), q: undefined }).page();
  assert.equal(sent[0]!.query.toString(), "status=ganho%2Cperdido&since=1970-01-01T00%3A00%3A00.000Z");
  await crm.activities.list({ is_overdue: false }).page();
  assert.equal(sent[1]!.query.toString(), "is_overdue=false");
});

test("Items of a batch that fail keep their index, and the others are written", async ({ workspace: { key } }) => {
  const { crm } = recordingCrm(key);
  const items = named(150);
  items[120] = creation({ name: "Ana", email: "ana@" });
  const { results, summary } = await crm.contacts.batch(items);
  assert.deepEqual(summary, { created: 149, updated: 0, failed: 1 });
  const failed = results.filter(({ error }) => error);
  assert.deepEqual(failed.map(({ index, status }) => [index, status]), [[120, 422]]);
  assert.equal(failed[0]!.error!.code, "validation_error");
});

test("A batch stays below the size limit of the API", async ({ workspace: { key } }) => {
  const { crm, sent } = recordingCrm(key);
  const notes = "ã".repeat(9_000);
  const { summary } = await crm.contacts.batch(named(100).map(({ data }) => creation({ ...data, notes })));
  assert.equal(summary.created, 100);
  assert.equal(sent.length, 2);
});

test("An interrupted batch continues with the same key without creating anything twice", async ({ workspace: { key } }) => {
  async function* rows() {
    yield* named(250);
  }
  const options = { idempotencyKey: "import-2026-11-22" };
  await using proxy = startCuttingProxy(["answer"]);
  const { crm: cut } = recordingCrm(key, { baseUrl: proxy.url, retries: 0 });
  await assert.rejects(cut.contacts.batch(rows(), options), CrmError);
  const { crm, sent } = recordingCrm(key);
  const { summary } = await crm.contacts.batch(rows(), options);
  assert.deepEqual(summary, { created: 250, updated: 0, failed: 0 });
  assert.deepEqual(sent.map(({ headers }) => headers.get("Idempotency-Key")), [
    "import-2026-11-22",
    "import-2026-11-22:1",
    "import-2026-11-22:2",
  ]);
  assert.equal((await crm.contacts.list().toArray()).length, 250);
});

test("A batch with atomic writes all items or none, and is refused before any call if it needs several calls", async ({ workspace: { key } }) => {
  const { crm, sent } = recordingCrm(key);
  const items = [creation({ name: "Ana" }), creation({ name: "Bia", email: "bia@" })];
  await assert.rejects(crm.contacts.batch(items, { atomic: true }), { code: "validation_error" });
  assert.deepEqual(await crm.contacts.list().toArray(), []);
  sent.length = 0;
  await assert.rejects(crm.contacts.batch(named(101), { atomic: true }), TypeError);
  assert.equal(sent.length, 0);
  assert.deepEqual((await crm.contacts.batch([])).results, []);
  assert.equal(sent.length, 0);
});
