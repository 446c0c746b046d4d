import assert from "node:assert/strict";
import { operate } from "../../run/operator/operator.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { checkDelivery, letTimePass, subscribe, waitForDelivery } from "../support/webhooks.ts";

const LEADS = "/api-v1-leads";

test("A lead is delivered at once, signed, with the lead, its contact and its company (spec 6.1, 6.2, 6.3)", async ({ sql, workspace: { key, id }, api }) => {
  const mailbox = openMailbox();
  const { secret, id: subscriptionId } = await subscribe(key, mailbox.url, ["lead.received"]);
  const sentAt = Date.now();
  const reply = await api.post(LEADS, {
    first_name: "Ana",
    company_name: "Padaria do Zé",
    external_id: "form-9",
    source: "site",
    utm_source: "google",
    value: 10.5,
  });

  const [message] = await mailbox.waitFor(1);
  assert.ok(message!.at - sentAt < 5_000, "at once, not with the schedule's next run in 10 s");
  checkDelivery(message!, secret);
  const { event, workspace_id, object_type, object_id, actor_id, data } = message!.body;
  assert.deepEqual({ event, workspace_id, object_type, object_id, actor_id }, {
    event: "lead.received",
    workspace_id: id,
    object_type: "deal",
    object_id: reply.body.lead.deal_id,
    actor_id: (await api.get("/api-v1-me")).body.key.id,
  });
  assert.deepEqual(data.lead, reply.body.lead);
  assert.equal(data.contact.name, "Ana");
  assert.equal(data.company.name, "Padaria do Zé");
  assert.deepEqual([data.source, data.external_id, data.utm.source], ["site", "form-9", "google"]);

  const delivery = await waitForDelivery(sql, subscriptionId, ({ state }) => state === "delivered");
  assert.deepEqual([delivery.id, delivery.attempts], [message!.body.delivery_id, 1]);
  const [subscription] = await sql`select * from crm.webhook_subscriptions where id = ${subscriptionId}`;
  assert.ok(subscription!["last_success_at"]);
  assert.equal(subscription!["failure_count"], 0);
});

test("Deliveries arrive however the scheme and the slashes of the target are written (spec 2.6)", async ({ workspace: { key }, api }) => {
  const mailbox = openMailbox();
  for (const start of ["HTTPS://", "https:", "https:/", "https:///"]) {
    await subscribe(key, mailbox.url.replace("https://", start), ["contact.created"]);
  }
  await api.post("/api-v1-contacts", { name: "Ana" });
  await mailbox.waitFor(4);
});

test("A subscription receives only its own event types, of its own workspace, while it is active", async ({ sql, workspace: mine, api }) => {
  const other = await makeWorkspace(sql);
  const [all, won, theirs, deleted] = [openMailbox(), openMailbox(), openMailbox(), openMailbox()];
  await subscribe(mine.key, all.url, ["lead.received", "deal.created", "contact.created"]);
  await subscribe(mine.key, won.url, ["deal.won"]);
  await subscribe(other.key, theirs.url, ["lead.received"]);
  const { id } = await subscribe(mine.key, deleted.url, ["lead.received"]);
  await api.delete(`/api-v1-webhooks/${id}`);

  await api.post(LEADS, { first_name: "Ana" });
  const messages = await all.waitFor(3);
  const received = messages.map(({ body }) => body.event).sort();
  assert.deepEqual(received, ["contact.created", "deal.created", "lead.received"]);
  for (const mailbox of [won, theirs, deleted]) assert.equal((await mailbox.messages()).length, 0);
});

test("Five failed attempts keep the spec's waits and the delivery's id, and end the delivery and the subscription (spec 2.6, 3, 6.2)", async ({ sql, workspace: { key, id: workspace_id }, api }) => {
  const mailbox = openMailbox("status=500,404,302,503,500");
  const { id, secret } = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });

  const waits = [30, 5 * 60, 30 * 60, 6 * 60 * 60];
  for (const [index, seconds] of waits.entries()) {
    const delivery = await waitForDelivery(sql, id, ({ attempts }) => attempts === index + 1);
    assert.equal(delivery.state, "pending");
    const [attempt] = await sql`
      select finished_at from crm.webhook_attempts where delivery_id = ${delivery.id} order by number desc`;
    const wait = (delivery.next_attempt_at.getTime() - attempt!["finished_at"].getTime()) / 1000;
    assert.ok(wait >= seconds - 0.1 && wait <= seconds * 1.01, `after attempt ${index + 1}: ${wait} s`);
    await letTimePass(sql, id);
  }
  const delivery = await waitForDelivery(sql, id, ({ state }) => state !== "pending");
  assert.deepEqual([delivery.state, delivery.attempts], ["failed", 5]);

  const [subscription] = await sql`select * from crm.webhook_subscriptions where id = ${id}`;
  assert.equal(subscription!["is_active"], false);
  assert.equal(subscription!["failure_count"], 5);
  const { data: recent } = await operate(sql, "delivery_list", { workspace_id });
  assert.deepEqual(
    recent.map((row) => [row.id, row.event, row.state, row.last_status, row.last_reason]),
    [[delivery.id, "contact.created", "failed", 500, "http_500"]],
  );

  const messages = await mailbox.messages();
  assert.equal(messages.length, 5);
  for (const message of messages) {
    checkDelivery(message, secret);
    assert.equal(message.body.delivery_id, delivery.id);
  }
  await letTimePass(sql, id);
  assert.equal((await mailbox.messages()).length, 5, "there is no sixth attempt");
});

test("A retry that succeeds ends the delivery, resets failure_count, and sends the record's state at that time (spec 2.6)", async ({ sql, workspace: { key, id: workspace }, api }) => {
  const mailbox = openMailbox("status=500,200");
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Antes" });
  await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  const failures = async () =>
    (await sql`
      select failure_count, last_failure_at is not null from crm.webhook_subscriptions where id = ${id}`)
      .map(Object.values);
  assert.deepEqual(await failures(), [[1, true]]);
  await sql`update crm.contacts set name = 'Depois' where workspace_id = ${workspace}`;
  await letTimePass(sql, id);
  await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  assert.deepEqual(await failures(), [[0, true]]);
  assert.deepEqual((await mailbox.messages()).map(({ body }) => body.data.name), ["Antes", "Depois"]);
});

test("An event that cannot be recorded does not change the reply to the call (spec 3, 6.5)", async ({ sql, workspace: { key, id }, api }) => {
  await subscribe(key, "https://hooks.example.com/", ["contact.created"]);
  await sql.unsafe(`
    create function crm.break_events() returns trigger language plpgsql as $$
    begin if new.workspace_id = '${id}' then raise 'broken'; end if; return new; end $$;
    create trigger break_events before insert on crm.events for each row execute function crm.break_events()`);
  try {
    const { status } = await api.post(LEADS, { first_name: "Ana" });
    assert.equal(status, 201);
  } finally {
    await sql.unsafe("drop function crm.break_events() cascade");
  }
  const [row] = await sql`select count(*)::integer as events from crm.events where workspace_id = ${id}`;
  assert.equal(row!["events"], 0);
});
