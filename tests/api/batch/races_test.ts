// Concurrent batches that change, look for or create the same records.
import assert from "node:assert/strict";
import { BATCH } from "../../support/batches.ts";
import { assertError, client } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { eventsOf, ids } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";

test("a batch that waits too long for a record is service_unavailable, and keeps nothing", async ({ sql, workspace: { id }, api }) => {
  const { body: { id: held } } = await api.post(CONTACTS, { name: "A" });
  const events = await eventsOf(sql, id);
  const reply = await sql.begin(async (sql) => {
    await sql`select from crm.contacts where id = ${held} for update`;
    return await api.post(BATCH, {
      items: [{ op: "create", data: { name: "B" } }, { op: "update", id: held, data: { name: "C" } }],
    });
  });
  assertError(reply, "service_unavailable");
  assert.deepEqual(ids(await api.get(CONTACTS)), [held]);
  assert.deepEqual(await eventsOf(sql, id), events);
});

test("batches of the same records in any order, and upserts and leads beside them, all succeed", async ({ sql, workspace: { id }, api, newDeal }) => {
  const keys = await Promise.all(Array.from({ length: 16 }, () => makeKey(sql, id)));
  const { body: { results } } = await api.post(BATCH, {
    items: Array.from({ length: 20 }, (_, index) => ({ op: "create", data: { name: `${index}` } })),
  });
  const deals = await Promise.all(Array.from({ length: 4 }, newDeal));
  const before = ids(await api.get(`${CONTACTS}?limit=200`)).length;
  const sends = [
    (turn: number) => ({
      path: BATCH,
      body: {
        items: results.map((_: unknown, index: number) => ({
          op: "update",
          id: results[(index * 7 + turn) % results.length].id,
          data: { job_title: `${turn}` },
        })),
      },
    }),
    (turn: number) => ({
      path: BATCH,
      body: {
        items: Array.from({ length: 20 }, (_, index) => ({
          op: "upsert",
          match_by: "email",
          data: { name: "Ana", email: `${(index * 3 + turn) % 20}@x.com` },
        })),
      },
    }),
    (turn: number) => ({
      path: "/api-v1-notes/batch",
      body: {
        items: deals.map((_, index) => ({
          op: "create",
          data: { deal_id: deals[(index + turn) % deals.length]!.id, body: "x" },
        })),
      },
    }),
    (turn: number) => ({ path: "/api-v1-leads", body: { first_name: "Ana", email: `${turn % 20}@x.com` } }),
    (turn: number) => ({
      path: `${CONTACTS}/upsert?match_by=email`,
      body: { name: "Ana", email: `${(turn + 5) % 20}@x.com` },
    }),
  ];
  const replies = await Promise.all(Array.from({ length: 60 }, (_, turn) => {
    const { path, body } = sends[turn % sends.length]!(turn);
    return client(keys[turn % keys.length]!.key).post(path, body);
  }));
  for (const { status, text, body } of replies) {
    assert.ok(status === 200 || status === 201, text);
    assert.equal(body.summary?.failed ?? 0, 0, text);
  }
  assert.equal(
    ids(await api.get(`${CONTACTS}?limit=200`)).length,
    before + 20,
    "one contact for each e-mail",
  );
});
