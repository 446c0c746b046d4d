// What a key sees while a workspace is at its limit of waiting deliveries: docs/decisions/0008-queue.md.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { BATCH, create, full, statuses } from "../support/batches.ts";
import { assertError, client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { runJob } from "../support/jobs.ts";
import { eventually, openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { subscribe, waitForDelivery, WEBHOOKS } from "../support/webhooks.ts";

const LEADS = "/api-v1-leads";

/** Limits how many deliveries of a workspace may wait. */
async function bound(sql: Sql, workspaceId: string, deliveries: number): Promise<void> {
  await sql`update crm.workspaces set max_waiting_deliveries = ${deliveries} where id = ${workspaceId}`;
}

/** Runs the job that catches up, until none of the subscriptions is behind. */
async function catchUp(sql: Sql, ...subscriptions: string[]): Promise<void> {
  await eventually(
    async () => {
      await runJob(sql, "webhook-catch-up");
      const behind = await sql`
        select from crm.webhook_subscriptions where id = any (${subscriptions}) and behind_since is not null`;
      return behind.length === 0;
    },
    `${subscriptions.length} subscriptions that are no longer behind`,
    60,
  );
}

test("A batch that makes more deliveries than may wait is answered as usual, and every event arrives once, nearly in order", async ({ sql, workspace: { id, key }, api }) => {
  await bound(sql, id, 30);
  const mailboxes = [openMailbox(), openMailbox(), openMailbox()];
  const subscriptions: string[] = [];
  for (const { url } of mailboxes) subscriptions.push((await subscribe(key, url, ["contact.created"])).id);
  const reply = await api.post(BATCH, { items: full((n) => create({ name: `Ana ${n}` })) });
  assert.deepEqual(statuses(reply), full(() => 201));
  const [stored] = await sql<[{ events: number; deliveries: number }]>`
    select
      (select count(*) from crm.events where workspace_id = ${id})::integer as events,
      (select count(*) from crm.webhook_deliveries where workspace_id = ${id})::integer as deliveries`;
  assert.equal(stored.events, 100);
  // No exact number, because the stack's own job may have added deliveries meanwhile.
  assert.ok(stored.deliveries < 200, `${stored.deliveries} of 300`);
  const { body } = await api.get(WEBHOOKS);
  for (const { behind_since } of body.data) {
    assert.ok(Math.abs(Date.parse(behind_since) - Date.now()) < 30_000, behind_since);
  }

  await catchUp(sql, ...subscriptions);
  for (const mailbox of mailboxes) {
    const events = (await mailbox.waitFor(100, 30)).map(({ body }) => body.event_id as string);
    assert.equal(new Set(events).size, 100);
    const occurred = [...events].sort();
    for (const [at, event] of events.entries()) {
      // At most 8 attempts of a workspace are in progress, so an event may arrive up to 7 places early or late.
      assert.ok(Math.abs(occurred.indexOf(event) - at) < 8, `${event} at ${at}`);
    }
  }
  const [{ data }, after] = [(await api.get(WEBHOOKS)).body, await api.post(LEADS, { first_name: "Bia" })];
  assert.deepEqual(data.map((each: { behind_since: unknown }) => each.behind_since), [null, null, null]);
  assert.equal(after.status, 201);
  for (const mailbox of mailboxes) await mailbox.waitFor(101);
});

test("A subscription whose receiver is down does not delay deliveries of other subscriptions or workspaces", async ({ sql, workspace: { id, key }, api }) => {
  await bound(sql, id, 20);
  const away = await subscribe(key, openMailbox("status=500").url, ["contact.created"]);
  const mailbox = openMailbox();
  const present = await subscribe(key, mailbox.url, ["contact.created"]);
  const other = await makeWorkspace(sql);
  const theirs = openMailbox();
  await subscribe(other.key, theirs.url, ["contact.created"]);
  for (let n = 1; n <= 25; n++) {
    await api.post(LEADS, { first_name: `Ana ${n}` });
    await mailbox.waitFor(n);
    // Once the delivery's outcome is recorded, there is room for the next delivery.
    await eventually(async () => {
      const waiting = await sql`select from crm.webhook_queue where subscription_id = ${present.id}`;
      return waiting.length === 0;
    }, "an empty queue of the receiver that is there");
  }
  const rows = await sql<{ id: string; is_behind: boolean; waiting: number }[]>`
    select s.id, s.behind_since is not null as is_behind,
      (select count(*)::integer from crm.webhook_queue q where q.subscription_id = s.id) as waiting
    from crm.webhook_subscriptions s where s.workspace_id = ${id} order by s.id`;
  assert.deepEqual([...rows], [
    { id: away.id, is_behind: true, waiting: 10 },
    { id: present.id, is_behind: false, waiting: 0 },
  ]);
  await client(other.key).post(LEADS, { first_name: "Bia" });
  await theirs.waitFor(1);
});

test("A test, a redelivery and a recovery are refused while the queue of a subscription is full, and count towards the rate limit (spec 7)", async ({ sql, workspace: { id, key }, api }) => {
  await bound(sql, id, 2);
  const mailbox = openMailbox("status=200,500");
  const subscription = await subscribe(key, mailbox.url, ["contact.created"]);
  const path = `${WEBHOOKS}/${subscription.id}`;
  await api.post(LEADS, { first_name: "Ana" });
  const { id: delivered } = await waitForDelivery(sql, subscription.id, ({ state }) => state === "delivered");
  await api.post(LEADS, { first_name: "Bia" });
  await api.post(LEADS, { first_name: "Caio" });
  const remaining = async (call: Promise<{ headers: Headers }>) =>
    Number(/r=(\d+)/.exec((await call).headers.get("RateLimit")!)![1]);
  const before = await remaining(api.get(path));
  assertError(await api.post(`${path}/test`), "queue_full");
  assertError(await api.post(`${path}/deliveries/${delivered}/redeliver`), "queue_full");
  const since = new Date(Date.now() - 60_000).toISOString();
  assertError(await api.post(`${path}/recover`, { since }), "queue_full");
  assert.equal(await remaining(api.get(path)), before - 4);

  await bound(sql, id, 1_000);
  assert.equal((await api.post(`${path}/deliveries/${delivered}/redeliver`)).status, 200);
  assert.equal((await api.post(`${path}/test`)).status, 200);
});

test("A subscription that is behind gets nothing more once it is deleted; if it failed, it gets the rest when it is reactivated", async ({ sql, workspace: { id, key }, api }) => {
  await bound(sql, id, 10);
  const [deleted, failed] = [openMailbox(), openMailbox()];
  const ended = await subscribe(key, deleted.url, ["contact.created"]);
  const revived = await subscribe(key, failed.url, ["contact.created"]);
  const items = full((n) => create({ name: `Ana ${n}` })).slice(0, 30);
  await api.post(BATCH, { items });
  await api.delete(`${WEBHOOKS}/${ended.id}`);
  await sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'failures' where id = ${revived.id}`;
  await runJob(sql, "webhook-catch-up");
  const deliveries = async (subscription: string) => {
    const [row] = await sql<[{ n: number }]>`
      select count(*)::integer as n from crm.webhook_deliveries where subscription_id = ${subscription}`;
    return row.n;
  };
  const before = [await deliveries(ended.id), await deliveries(revived.id)];
  assert.ok(before.every((n) => n < 30), `${before}`);
  assert.equal((await api.get(`${WEBHOOKS}/${ended.id}`)).body.behind_since, null);
  assert.notEqual((await api.get(`${WEBHOOKS}/${revived.id}`)).body.behind_since, null);

  await api.post(`${WEBHOOKS}/${revived.id}/reactivate`);
  await catchUp(sql, revived.id);
  const events = (await failed.waitFor(30, 30)).map(({ body }) => body.event_id as string);
  assert.equal(new Set(events).size, 30);
  assert.equal(events.length, 30);
  assert.equal(await deliveries(ended.id), before[0]);
});

test("A merge creates no more deliveries than may wait; the others are created later", async ({ sql, workspace: { id, key }, api }) => {
  await bound(sql, id, 10);
  const mailbox = openMailbox();
  const subscription = await subscribe(key, mailbox.url, ["contact.updated"]);
  const { body: kept } = await api.post("/api-v1-companies", { name: "Padaria" });
  const { body: merged } = await api.post("/api-v1-companies", { name: "Padaria Ltda" });
  const items = full((n) => create({ name: `Ana ${n}`, company_id: merged.id }));
  assert.deepEqual(statuses(await api.post(BATCH, { items })), full(() => 201));
  assert.equal((await api.post(`/api-v1-companies/${kept.id}/merge`, { merge_id: merged.id })).status, 200);
  const [waiting] = await sql<[{ n: number }]>`
    select count(*)::integer as n from crm.webhook_deliveries where subscription_id = ${subscription.id}`;
  assert.ok(waiting.n <= 20, `${waiting.n} of 100`);
  await catchUp(sql, subscription.id);
  const contacts = (await mailbox.waitFor(100, 30)).map(({ body }) => body.object_id as string);
  assert.equal(new Set(contacts).size, 100);
});

test("A change of event types while behind applies to the events that have no delivery yet", async ({ sql, workspace: { id, key }, api }) => {
  await bound(sql, id, 10);
  const mailbox = openMailbox();
  const subscription = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post(BATCH, { items: full((n) => create({ name: `Ana ${n}` })).slice(0, 30) });
  await api.post(LEADS, { first_name: "Bia" });
  const { body } = await api.patch(`${WEBHOOKS}/${subscription.id}`, { event_types: ["lead.received"] });
  assert.notEqual(body.behind_since, null);
  await catchUp(sql, subscription.id);
  const rows = await sql<{ event: string; n: number }[]>`
    select e.event, count(*)::integer as n
    from crm.webhook_deliveries d join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
    where d.subscription_id = ${subscription.id} group by e.event`;
  const counts = Object.fromEntries(rows.map(({ event, n }) => [event, n]));
  assert.ok(counts["contact.created"]! < 30, `${counts["contact.created"]} of 30 had a delivery before`);
  assert.equal(counts["lead.received"], 1);
});
