import assert from "node:assert/strict";
import { assertError } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { create, ids, readPages } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { subscribe, waitForDelivery } from "../support/webhooks.ts";

const EVENTS = "/app-v1-activity/events";

test("app-v1-activity/events lists what happened, newest first, with the record's name and each webhook's delivery, and nothing of another workspace", async ({ sql, workspace: { id, key }, api }) => {
  const other = await makeWorkspace(sql);
  await create(other.key, "/api-v1-contacts", { name: "Alheio" });
  const mailbox = openMailbox();
  const subscription = await subscribe(key, mailbox.url, ["contact.updated"]);
  await api.patch(`/api-v1-webhooks/${subscription.id}`, { name: "ERP" });
  const contact = await create(key, "/api-v1-contacts", { name: "Rita Ribeiro" });
  await api.patch(`/api-v1-contacts/${contact.id}`, { job_title: "Compradora" });
  await waitForDelivery(sql, subscription.id, ({ state }) => state === "delivered");

  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { body } = await vendedor.get(EVENTS);
  const [updated, created] = body.data;
  assert.equal(body.data.length, 2);
  const { id: _, occurred_at: __, deliveries: [{ id: ___, ...delivery }], ...event } = updated;
  const object = { object_id: contact.id, object_name: "Rita Ribeiro", object_type: "contact" };
  assert.deepEqual(event, {
    event: "contact.updated",
    ...object,
    is_test: false,
    changed_fields: ["job_title"],
  });
  assert.deepEqual(delivery, {
    subscription_id: subscription.id,
    name: "ERP",
    target_url: mailbox.url,
    state: "delivered",
    attempts: 1,
  });
  assert.deepEqual([created.event, created.changed_fields, created.deliveries], ["contact.created", [], []]);
  assert.deepEqual(body.meta, { next_cursor: null, has_more: false });
});

test("Events are filtered by type, record, since and until, and paged without gaps; invalid filters are refused", async ({ sql, workspace: { id, key }, api }) => {
  const [ana, rui] = [
    await create(key, "/api-v1-contacts", { name: "Ana" }),
    await create(key, "/api-v1-contacts", { name: "Rui" }),
  ];
  for (const title of ["A", "B", "C", "D"]) {
    await api.patch(`/api-v1-contacts/${ana.id}`, { job_title: title });
  }
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const stored = await sql<{ id: string; event: string; object_id: string; occurred_at: Date }[]>`
    select id, event::text, object_id, occurred_at from crm.events where workspace_id = ${id} order by id desc`;
  for (
    const [query, expected] of [
      [{}, stored],
      [{ event: "contact.created" }, stored.filter(({ event }) => event === "contact.created")],
      [{ object_id: ana.id }, stored.filter(({ object_id }) => object_id === ana.id)],
      [
        { object_id: ana.id, event: "contact.updated" },
        stored.filter(({ object_id, event }) => object_id === ana.id && event === "contact.updated"),
      ],
      [{ event: "deal.won" }, []],
      [{ object_id: rui.id }, stored.filter(({ object_id }) => object_id === rui.id)],
    ] as const
  ) {
    const pages = await readPages(vendedor, `${EVENTS}?${new URLSearchParams({ ...query, limit: "2" })}`);
    assert.deepEqual(pages.flatMap(ids), expected.map(({ id }) => id), JSON.stringify(query));
  }
  const middle = stored[2]!.occurred_at.toISOString();
  for (const [name, kept] of [["since", stored.slice(0, 3)], ["until", stored.slice(3)]] as const) {
    const found = ids(await vendedor.get(`${EVENTS}?${name}=${middle}`));
    assert.ok(found.length > 0 && found.every((id) => kept.some((row) => row.id === id)), name);
  }
  for (const query of ["event=deal.x", "object_id=x", "since=ontem"]) {
    const [field] = query.split("=");
    assertError(await vendedor.get(`${EVENTS}?${query}`), "validation_error", [field!]);
  }
  assertError(await vendedor.get(`${EVENTS}?cursor=x`), "invalid_cursor");
});

test("A filter by type reads at most 5,000 events at a time, and the next page continues after them", async ({ sql, workspace: { id, memberId } }) => {
  await sql`
    insert into crm.contacts (workspace_id, name, owner_id)
    select ${id}, n::text, ${memberId} from generate_series(1, 5100) n`;
  const [oldest] = await sql`select id from crm.events where workspace_id = ${id} order by id limit 1`;
  await sql`update crm.events set event = 'contact.updated' where workspace_id = ${id} and id = ${
    oldest!["id"]
  }`;
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const { body: first } = await vendedor.get(`${EVENTS}?event=contact.updated`);
  assert.deepEqual([first.data, first.meta.has_more], [[], true]);
  const next = await vendedor.get(`${EVENTS}?event=contact.updated&cursor=${first.meta.next_cursor}`);
  assert.deepEqual([ids(next), next.body.meta.has_more], [[oldest!["id"]], false]);
});
