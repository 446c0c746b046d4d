// PATCH of a subscription, deliveries with only ids, and a subscription's own header.
import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { eventually, openMailbox } from "../../support/mailbox.ts";
import { test } from "../../support/scenario.ts";
import { checkDelivery, letTimePass, subscribe, waitForDelivery, WEBHOOKS } from "../../support/webhooks.ts";

const CONTACTS = "/api-v1-contacts";
const valid = { event_types: ["deal.won"], target_url: "https://hooks.example.com/crm" };

test("PATCH /api-v1-webhooks/:id changes only the fields that are sent, and applies to later events", async ({ workspace: { key, memberId }, api }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["deal.won"]);
  const path = `${WEBHOOKS}/${id}`;
  const { body: before } = await api.get(WEBHOOKS);
  const types = await api.patch(path, { event_types: ["contact.created", "contact.created"] });
  assert.equal(types.status, 200, types.text);
  assert.deepEqual(types.body, { ...before.data[0], event_types: ["contact.created"] });
  const filtered = (await api.patch(path, { filters: { owner_id: memberId }, payload: "ids" })).body;
  assert.deepEqual(filtered, { ...types.body, filters: { owner_id: [memberId] }, payload: "ids" });
  assert.deepEqual((await api.patch(path, {})).body, filtered);
  assert.deepEqual((await api.get(WEBHOOKS)).body.data, [filtered]);
  const { body: contact } = await api.post(CONTACTS, { name: "Ana" });
  const [message] = await mailbox.waitFor(1);
  assert.deepEqual([message!.body.event, message!.body.data], ["contact.created", { id: contact.id }]);

  const cleared = await api.patch(path, { filters: null, payload: null });
  assert.deepEqual([cleared.body.filters, cleared.body.payload], [null, "full"]);
  assert.equal((await api.patch(path, { filters: {} })).body.filters, null);
});

test("PATCH /api-v1-webhooks/:id refuses what POST refuses, and does not change the target (spec 2.6)", async ({ workspace: { key }, api }) => {
  const { id } = await subscribe(key, openMailbox().url, ["deal.won"]);
  const path = `${WEBHOOKS}/${id}`;
  assertError(await api.patch(path, { event_types: ["deal.eaten"] }), "invalid_event_type");
  for (const body of [{ event_types: [] }, { event_types: null }, { payload: "thin" }, { filters: "x" }]) {
    assertError(await api.patch(path, body), "validation_error", Object.keys(body));
  }
  const ignored = await api.patch(path, { target_url: "https://other.example.com/", is_active: false });
  assert.equal(ignored.status, 200);
  assert.equal(ignored.headers.get("X-Ignored-Fields"), "target_url, is_active");
  assert.equal(ignored.body.is_active, true);
});

test("With payload set to ids, a delivery has its envelope and signature, and only the id in data (spec 6.2)", async ({ workspace, api }) => {
  const mailbox = openMailbox();
  const { status, body: { id, secret, payload } } = await api.post(WEBHOOKS, {
    event_types: ["lead.received", "deal.stage_changed"],
    target_url: mailbox.url,
    payload: "ids",
  });
  assert.deepEqual([status, payload], [201, "ids"]);
  const { body: { lead } } = await api.post("/api-v1-leads", { first_name: "Ana" });
  await mailbox.waitFor(1);
  await api.post(`/api-v1-deals/${lead.deal_id}/move-stage`, { stage_id: workspace.stages[1].id });
  await mailbox.waitFor(2);
  await api.post(`${WEBHOOKS}/${id}/test`);
  const messages = await mailbox.waitFor(3);
  for (const message of messages) {
    checkDelivery(message, secret);
    assert.deepEqual(message.body.data, { id: message.body.object_id });
  }
  assert.deepEqual(messages.map(({ body }) => body.test), [undefined, undefined, true]);
  const { body: { data } } = await eventually(async () => {
    const list = await api.get(`${WEBHOOKS}/${id}/deliveries?state=delivered`);
    return list.body.data.length === 3 && list;
  }, "three delivered deliveries");
  for (const [n, delivery] of data.entries()) {
    const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries/${delivery.id}`);
    assert.equal(body.body, new TextDecoder().decode(messages[2 - n]!.raw));
  }
});

test("A subscription's own header is sent with every attempt and test, and no reply shows its value", async ({ sql, workspace: { id: workspace }, api }) => {
  const mailbox = openMailbox("status=500,200");
  const value = "Bearer s3cr3t ~!";
  const replies = [
    await api.post(WEBHOOKS, {
      event_types: ["contact.created"],
      target_url: mailbox.url,
      header: { name: "Authorization", value },
    }),
  ];
  const { id, secret, header } = replies[0]!.body;
  assert.deepEqual(header, { name: "Authorization" });
  await api.post(CONTACTS, { name: "Ana" });
  const { id: delivery } = await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  await letTimePass(sql, id);
  await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  replies.push(await api.post(`${WEBHOOKS}/${id}/test`));
  const messages = await mailbox.waitFor(3);
  for (const message of messages) {
    checkDelivery(message, secret);
    assert.equal(message.headers.get("Authorization"), value);
  }
  const path = `${WEBHOOKS}/${id}`;
  const detail = await api.get(`${path}/deliveries/${delivery}`);
  const shown = detail.body.headers.find(({ name }: { name: string }) => name === "Authorization");
  assert.equal(shown.value, "<o valor guardado, que não é mostrado>");
  for (const read of ["", `/${id}`, `/${id}/deliveries`]) replies.push(await api.get(WEBHOOKS + read));
  replies.push(detail, await api.post(`${path}/rotate-secret`, { overlap_seconds: 0 }));
  replies.push(await api.post(`${path}/reactivate`), await api.patch(path, { payload: "full" }));
  replies.push(await api.get("/api-v1-changes"), await api.get("/api-v1-events"));
  for (const { text } of replies) assert.ok(!text.includes("s3cr3t"), text);
  const [row] = await sql<[{ stored: string }]>`
    select concat(to_json(s), to_json(k), encode(k.header, 'escape')) as stored
    from crm.webhook_subscriptions s join crm.webhook_secrets k on k.subscription_id = s.id
    where s.workspace_id = ${workspace}`;
  assert.ok(!row.stored.includes("s3cr3t"), "the database has it only encrypted");

  const changed = await api.patch(path, { header: { name: "X-Api-Key", value: "other" } });
  assert.deepEqual(changed.body.header, { name: "X-Api-Key" });
  await api.post(`${path}/test`);
  const fourth = (await mailbox.waitFor(4))[3]!;
  assert.deepEqual([fourth.headers.get("X-Api-Key"), fourth.headers.get("Authorization")], ["other", null]);
  assert.equal((await api.patch(path, { header: null })).body.header, null);
  await api.post(`${path}/test`);
  const fifth = (await mailbox.waitFor(5))[4]!;
  assert.equal(fifth.headers.get("X-Api-Key"), null);
  const [kept] = await sql`select header from crm.webhook_secrets where subscription_id = ${id}`;
  assert.equal(kept!["header"], null);
});

test("An encrypted header cannot stand in for its subscription's secret, nor an encrypted secret for the header", async ({ sql, workspace: { id: workspace }, api }) => {
  const mailbox = openMailbox();
  const { body: { id } } = await api.post(WEBHOOKS, {
    event_types: ["contact.created"],
    target_url: mailbox.url,
    header: { name: "X-Api-Key", value: "known" },
  });
  await sql`update crm.webhook_secrets set secret = header, header = secret where subscription_id = ${id}`;
  await api.post(CONTACTS, { name: "Ana" });
  const { id: delivery } = await waitForDelivery(sql, id, ({ lease_until }) => lease_until !== null);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(await mailbox.messages(), []);
  const [row] = await sql`
    select attempts from crm.webhook_deliveries where workspace_id = ${workspace} and id = ${delivery}`;
  assert.equal(row!["attempts"], 0, "a fault of the service, not of the receiver");
  // Deletes the subscription: otherwise the dispatcher would try this delivery again and again.
  await api.delete(`${WEBHOOKS}/${id}`);
});

test("A header must be Authorization or X-…, but none that the service or proxies set, and its value must be visible", async ({ workspace: { key }, api }) => {
  const { id } = await subscribe(key, openMailbox().url, ["deal.won"]);
  const sent = async (header: unknown) => [
    await api.post(WEBHOOKS, { ...valid, header }),
    await api.patch(`${WEBHOOKS}/${id}`, { header }),
  ];
  const names = [
    ..."Host Content-Type Content-Length Connection Transfer-Encoding Cookie X-Service-Signature".split(" "),
    ..."x-service-signature-next X-Service-Event X-Forwarded-For X-HTTP-Method-Override".split(" "),
    ...["X-", "X-A:b", "X-A\r\nX-B", "X-Ção", `X-${"a".repeat(63)}`, ""],
  ];
  const values = ["", " x", "x ", "a\r\nX-B: c", "a\nb", "a\tb", "ção", "\u007f", "x".repeat(501), undefined];
  const wrong: [header: Record<string, unknown>, field: string][] = [
    ...names.map((name): [object, string] => [{ name, value: "x" }, "header.name"]),
    ...values.map((value): [object, string] => [{ name: "X-Api-Key", value }, "header.value"]),
  ] as never;
  for (const [header, field] of wrong) {
    for (const reply of await sent(header)) assertError(reply, "validation_error", [field]);
  }
  for (const name of ["authorization", "Authorization", "x-api-key", "X-Token-2", "X-Servicex"]) {
    for (const reply of await sent({ name, value: "x".repeat(500) })) {
      assert.ok(reply.status < 300, reply.text);
      assert.deepEqual(reply.body.header, { name });
    }
  }
});
