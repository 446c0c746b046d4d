import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { makeEvents } from "../../support/feed_rows.ts";
import { eventually, openMailbox } from "../../support/mailbox.ts";
import { test } from "../../support/scenario.ts";
import { letTimePass, subscribe, waitForDelivery, WEBHOOKS } from "../../support/webhooks.ts";

const LEADS = "/api-v1-leads";

test("After a receiver missed all five attempts, reactivate and recover deliver every event once, nearly in the original order (spec 7)", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox("status=500,500,500,500,500,200");
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  const since = new Date(Date.now() - 1000).toISOString();
  await api.post(LEADS, { first_name: "Ana" });
  for (let attempt = 1; attempt < 5; attempt++) {
    await waitForDelivery(sql, id, ({ attempts }) => attempts === attempt);
    await letTimePass(sql, id);
  }
  await waitForDelivery(sql, id, ({ state }) => state === "failed");
  const { body: stopped } = await api.get(`${WEBHOOKS}/${id}`);
  assert.deepEqual([stopped.is_active, stopped.deactivated_reason], [false, "failures"]);
  assert.ok(stopped.deactivated_at >= since);

  for (let n = 0; n < 20; n++) await api.post(LEADS, { first_name: `Bia ${n}` });
  const recover = () => api.post(`${WEBHOOKS}/${id}/recover`, { since });
  assertError(await recover(), "subscription_inactive");
  assert.equal((await api.post(`${WEBHOOKS}/${id}/reactivate`)).body.resumed, 0);
  assert.equal((await mailbox.messages()).length, 5, "nothing is sent before recover");

  const { status, body } = await recover();
  assert.equal(status, 202);
  const { since: from, ...counted } = body;
  assert.deepEqual(counted, { count: 21, has_more: false, next_since: null });
  assert.ok(from >= since);
  const again = await recover();
  assert.equal(again.body.count, 0, "waiting and delivered events are left alone");
  const messages = (await mailbox.waitFor(26, 30)).slice(5);
  const events = messages.map(({ body }) => body.event_id as string);
  assert.equal(new Set(events).size, 21, "each event came once");
  const occurred = [...events].sort();
  for (const [at, event] of events.entries()) {
    // At most 8 attempts of a workspace are in progress, so an event may arrive up to 7 places early or late.
    assert.ok(Math.abs(occurred.indexOf(event) - at) < 8, `${event} at ${at}`);
  }
  await eventually(async () => {
    const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries?state=delivered`);
    return body.data.length === 21;
  }, "21 delivered deliveries");
  assert.equal((await recover()).body.count, 0);
  assert.equal((await mailbox.messages()).length, 26);
});

test("POST …/recover queues the undelivered events of its window that have the subscription's types, and no test events", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const mailbox = openMailbox("status=500");
  const { id } = await subscribe(key, mailbox.url, ["deal.won"]);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  const add = async (hours: number, event: string, state: string | null, isTest = false) => {
    await sql`
      with event as (
        insert into crm.events (workspace_id, id, event, object_id, facts, is_test, occurred_at)
        select ${workspace}, crm.uuid_v7(at), ${event}, gen_random_uuid(), '{}', ${isTest}, at
        from (select now() - make_interval(hours => ${hours}) as at) t
        returning *
      )
      insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id, state, attempts, created_at)
      select workspace_id, crm.delivery_id(id, ${id}), id, ${id}, ${state}::text,
        case ${state}::text when 'failed' then 5 else 0 end, occurred_at
      from event where ${state}::text is not null`;
  };
  // Six events, which occurred nine to four hours ago.
  for (const [index, state] of [null, null, "failed", "cancelled", "delivered", "pending"].entries()) {
    await add(9 - index, "deal.won", state);
  }
  await add(3, "deal.lost", null);
  await add(2, "deal.won", null, true);
  await add(1, "deal.won", null);
  await sql`update crm.webhook_subscriptions set is_active = true where id = ${id}`;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const recover = async (since: number, until?: number) => {
    const reply = await api.post(`${WEBHOOKS}/${id}/recover`, {
      since: hoursAgo(since),
      before_creation: true,
      ...(until !== undefined && { until: hoursAgo(until) }),
    });
    assert.equal(reply.status, 202, reply.text);
    return reply.body.count;
  };
  assert.deepEqual(await recover(8.5, 1.5), 3);
  assert.deepEqual(await recover(8.5, 1.5), 0);
  assert.deepEqual(await recover(8.5), 1, "until defaults to now");
  assert.deepEqual(await recover(720), 1);
  const rows = await sql`
    select state, series from crm.webhook_deliveries where subscription_id = ${id} order by id`;
  assert.deepEqual(rows.map(({ state, series }) => [state, series]), [
    ["pending", 1],
    ["pending", 1],
    ["pending", 2],
    ["pending", 2],
    ["delivered", 1],
    ["pending", 1],
    ["pending", 1],
  ]);

  const post = (body: unknown) => api.post(`${WEBHOOKS}/${id}/recover`, body);
  assertError(await post({}), "validation_error", ["since"]);
  const backwards = await post({ since: "2026-01-02", until: "2026-01-01T23:00:00Z" });
  assert.deepEqual(assertError(backwards, "validation_error"), { until: "Deve ser depois de since" });
  const [row] = await sql<[{ soon: string }]>`
    select crm.iso(clock_timestamp() + interval '1 minute') as soon`;
  const ahead = await post({ since: row.soon });
  assert.deepEqual(assertError(ahead, "validation_error"), { since: "Não pode estar no futuro" });
});

test("POST …/recover with dry_run only counts; events older than the subscription need before_creation", async ({ sql, workspace: { id: workspace, key }, api }) => {
  await makeEvents(sql, workspace, 3, { event: "deal.won" });
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["deal.won"]);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  const { body: deal } = await api.post("/api-v1-deals", { title: "Site" });
  await api.post(`/api-v1-deals/${deal.id}/win`);
  await sql`update crm.webhook_subscriptions set is_active = true where id = ${id}`;
  const { body: { created_at } } = await api.get(`${WEBHOOKS}/${id}`);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const recover = async (options: Record<string, unknown>) => {
    const { status, body, text } = await api.post(`${WEBHOOKS}/${id}/recover`, { since, ...options });
    assert.equal(status, 202, text);
    return [body.count, body.since];
  };
  const deliveries = async () =>
    (await sql`select from crm.webhook_deliveries where subscription_id = ${id}`).length;

  assert.deepEqual(await recover({ dry_run: true }), [1, created_at]);
  assert.deepEqual(await recover({ dry_run: true, before_creation: true }), [4, since]);
  const ended = { dry_run: true, until: new Date(Date.parse(since) + 1000).toISOString() };
  assert.deepEqual(await recover(ended), [0, created_at]);
  assert.equal(await deliveries(), 0);

  assert.deepEqual(await recover({ dry_run: false }), [1, created_at]);
  assert.equal((await mailbox.waitFor(1))[0]!.body.object_id, deal.id);
  assert.deepEqual(await recover({ dry_run: null, before_creation: null }), [0, created_at]);
  assert.deepEqual(await recover({ before_creation: true }), [3, since]);
  await mailbox.waitFor(4);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const [, from] = await recover({ since: daysAgo(60), before_creation: true, dry_run: true });
  assert.ok(from > daysAgo(30.1) && from <= daysAgo(30), `${from} is not 30 days ago`);
  for (const field of ["dry_run", "before_creation"]) {
    const wrong = await api.post(`${WEBHOOKS}/${id}/recover`, { since, [field]: "true" });
    assertError(wrong, "validation_error", [field]);
  }
});
