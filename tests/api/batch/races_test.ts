// Concurrent batches that change, look for or create the same records.
import assert from "node:assert/strict";
import { BATCH, create, update, upsert } from "../../support/batches.ts";
import { assertError, client } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { eventsOf, ids } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";

test("a batch that waits too long for a locked record answers service_unavailable, and writes nothing", async ({ sql, workspace: { id }, api }) => {
  const { body: { id: held } } = await api.post(CONTACTS, { name: "A" });
  const events = await eventsOf(sql, id);
  const reply = await sql.begin(async (sql) => {
    await sql`select from crm.contacts where id = ${held} for update`;
    return await api.post(BATCH, {
      items: [create({ name: "B" }), update(held, { name: "C" })],
    });
  });
  assertError(reply, "service_unavailable");
  assert.deepEqual(ids(await api.get(CONTACTS)), [held]);
  assert.deepEqual(await eventsOf(sql, id), events);
});

test("concurrent batches that name the same records in any order all succeed, as do concurrent upserts and leads", async ({ sql, workspace: { id }, api, newDeal }) => {
  const keys = await Promise.all(Array.from({ length: 15 }, () => makeKey(sql, id)));
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const { body: { results } } = await api.post(BATCH, {
    items: numbers.map((number) => create({ name: `${number}` })),
  });
  const deals = await Promise.all(Array.from({ length: 4 }, newDeal));
  const before = ids(await api.get(`${CONTACTS}?limit=200`)).length;
  /** The kinds of calls. `turn` decides in which order a call names the same records, or which of them it names. */
  const sends: ((turn: number) => { path: string; items?: unknown[]; body?: unknown })[] = [
    (turn) => ({
      path: BATCH,
      items: numbers.map((n) => update(results[(n * 7 + turn) % 20].id, { job_title: `${turn}` })),
    }),
    (turn) => ({
      path: BATCH,
      items: numbers.map((n) => upsert("email", { name: "Ana", email: `${(n * 3 + turn) % 20}@x.com` })),
    }),
    (turn) => ({
      path: "/api-v1-notes/batch",
      items: deals.map((_, n) => create({ deal_id: deals[(n + turn) % deals.length]!.id, body: "x" })),
    }),
    (turn) => ({ path: "/api-v1-leads", body: { first_name: "Ana", email: `${turn % 20}@x.com` } }),
    (turn) => ({
      path: `${CONTACTS}/upsert?match_by=email`,
      body: { name: "Ana", email: `${(turn + 5) % 20}@x.com` },
    }),
  ];
  const replies = await Promise.all(Array.from({ length: 30 }, (_, turn) => {
    const { path, items, body = { items } } = sends[turn % sends.length]!(turn);
    return client(keys[turn % keys.length]!.key).post(path, body);
  }));
  for (const { status, text, body } of replies) {
    assert.ok(status === 200 || status === 201, text);
    assert.equal(body.summary?.failed ?? 0, 0, text);
  }
  const after = ids(await api.get(`${CONTACTS}?limit=200`)).length;
  assert.equal(after, before + 20, "one contact for each e-mail");
});

test("a batch and a PATCH that refer to a contact wait for the contact's merge, without a deadlock", async ({ sql, api, newDeal }) => {
  const { id, contactId } = await newDeal();
  const { body: other } = await api.post(CONTACTS, { name: "Bia" });
  const { body: activity } = await api.post("/api-v1-activities", { deal_id: id, contact_id: other.id });
  for (
    const [path, body] of [
      ["/api-v1-activities/batch", { items: [create({ deal_id: id, title: "Ligar" })] }],
      ["/api-v1-notes/batch", { items: [create({ deal_id: id, body: "Ligou" })] }],
      [`/api-v1-deals/${id}`, { contact_id: contactId, value: 1 }],
      [`/api-v1-activities/${activity.id}`, { contact_id: contactId }],
    ] as const
  ) {
    let sent: ReturnType<typeof api.post>;
    await sql.begin(async (sql) => {
      // What a merge does: it locks the contact, then the records that refer to it.
      await sql`select from crm.contacts where id = ${contactId} for update`;
      sent = path.endsWith("batch") ? api.post(path, body) : api.patch(path, body);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await sql`select from crm.activities where id = ${activity.id} for update`;
      await sql`select from crm.deals where id = ${id} for update`;
    });
    const { status, text } = await sent!;
    assert.equal(status, 200, text);
  }
});
