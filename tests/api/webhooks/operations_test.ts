import assert from "node:assert/strict";
import { operate } from "../../../run/operator/operator.ts";
import { assertError } from "../../support/client.ts";
import { makeKey } from "../../support/fixtures.ts";
import { openMailbox } from "../../support/mailbox.ts";
import { test } from "../../support/scenario.ts";
import {
  addDeliveries,
  checkDelivery,
  letTimePass,
  subscribe,
  waitForDelivery,
  WEBHOOKS,
} from "../../support/webhooks.ts";

const LEADS = "/api-v1-leads";
const NIL_ID = "00000000-0000-0000-0000-000000000000";

test("GET /api-v1-webhooks/:id shows a subscription, the key that created it and the outcomes of the last 7 days", async ({ sql, workspace, api }) => {
  const { id } = await subscribe(workspace.key, openMailbox().url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  const read = await api.get(`${WEBHOOKS}/${id}`);
  const { key, days, days_are_partial, recent, ...subscription } = read.body;
  assert.deepEqual((await api.get(WEBHOOKS)).body.data, [subscription]);
  assert.deepEqual([key.id, key.name, days_are_partial], [subscription.key_id, "Teste", false]);
  assert.deepEqual(days.map(({ delivered }: { delivered: number }) => delivered), [0, 0, 0, 0, 0, 0, 1]);
  assert.equal(subscription.is_active, true);
  const { median_ms, p95_ms, ...rest } = recent;
  assert.deepEqual(rest, { attempts: 1, success_rate: 1 });
  assert.ok(median_ms >= 0 && median_ms === p95_ms);
});

test("A subscription shows which share of its newest attempts succeeded, and how long answers took", async ({ sql, workspace, api }) => {
  const { id } = await subscribe(workspace.key, openMailbox().url, ["deal.won"]);
  const recent = async () => (await api.get(`${WEBHOOKS}/${id}`)).body.recent;
  assert.deepEqual(await recent(), { attempts: 0, success_rate: null, median_ms: null, p95_ms: null });
  const delivered = { count: 210, states: ["delivered"], events: ["deal.won"] };
  const ids = await addDeliveries(sql, workspace.id, id, delivered);
  // Only the newest 200 of these 210 attempts count: 150 were answered, after 1 to 150 ms, and 50 were not.
  await sql`
    insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, reason, duration_ms)
    select
      ${workspace.id}, d.id, 1, 1, case when d.n between 11 and 160 then 200 end,
      case when d.n not between 11 and 160 then 'timeout_response' end,
      case when d.n between 11 and 160 then d.n - 10 else 10000 end
    from unnest(${ids}::uuid[]) with ordinality d (id, n)`;
  assert.deepEqual(await recent(), { attempts: 200, success_rate: 0.75, median_ms: 75, p95_ms: 143 });
});

test("POST …/test sends a test event of the given type, signed, and marked as a test (spec 7)", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox();
  const { id, secret } = await subscribe(key, mailbox.url, ["deal.won", "contact.created"]);
  const path = `${WEBHOOKS}/${id}/test`;
  const { status, body } = await api.post(path);
  assert.deepEqual([status, body.held], [200, false]);
  await api.post(path, { event_type: "contact.created" });
  const messages = await mailbox.waitFor(2);
  for (const message of messages) {
    checkDelivery(message, secret);
    assert.deepEqual([message.body.test, message.body.object_id], [true, NIL_ID]);
  }
  const events = messages.map(({ body }) => body.event).sort();
  assert.deepEqual(events, ["contact.created", "deal.won"]);
  assert.ok(messages.some((message) => message.body.delivery_id === body.delivery_id));
  const { body: { data } } = await api.get(`${WEBHOOKS}/${id}/deliveries`);
  assert.deepEqual(data.map(({ is_test }: { is_test: boolean }) => is_test), [true, true]);

  assertError(await api.post(path, { event_type: "deal.eaten" }), "invalid_event_type");
  assert.deepEqual(assertError(await api.post(path, { event_type: "deal.lost" }), "validation_error"), {
    event_type: "A assinatura não tem este evento",
  });
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  assertError(await api.post(path), "subscription_inactive");
});

test("GET of a deleted subscription says that it is deleted, and its cancelled deliveries are never sent again", async ({ sql, workspace, api }) => {
  const mailbox = openMailbox("status=500");
  const { id } = await subscribe(workspace.key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  assert.equal((await api.delete(`${WEBHOOKS}/${id}`)).status, 204);
  const { body } = await api.get(`${WEBHOOKS}/${id}`);
  assert.deepEqual([body.is_active, body.deactivated_reason], [false, "deleted"]);
  assert.ok(Date.now() - Date.parse(body.deactivated_at) < 60_000);
  const { body: { data: [delivery] } } = await api.get(`${WEBHOOKS}/${id}/deliveries?state=cancelled`);
  assert.deepEqual([delivery.attempts, delivery.next_attempt_at], [1, null]);

  const reactivated = await api.post(`${WEBHOOKS}/${id}/reactivate`);
  const { resumed, deactivated_reason } = reactivated.body;
  assert.deepEqual([reactivated.status, resumed, deactivated_reason], [200, 0, null]);
  await letTimePass(sql, id);
  assert.equal((await api.get(`${WEBHOOKS}/${id}/deliveries?state=cancelled`)).body.data.length, 1);
  assert.equal((await mailbox.messages()).length, 1);
});

test("DELETE during an attempt cancels the delivery if the attempt fails", async ({ sql, workspace, api }) => {
  const mailbox = openMailbox("status=500&delay=2000");
  const { id } = await subscribe(workspace.key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  await mailbox.waitFor(1);
  await api.delete(`${WEBHOOKS}/${id}`);
  const ended = await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  assert.equal(ended.state, "cancelled");
});

test("DELETE after five failures cancels the held deliveries", async ({ sql, workspace, api }) => {
  const { id } = await subscribe(workspace.key, openMailbox().url, ["deal.won"]);
  await sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'failures' where id = ${id}`;
  await addDeliveries(sql, workspace.id, id, { count: 3, states: ["pending"], events: ["deal.won"] });
  const stateOf = async (state: string) =>
    (await api.get(`${WEBHOOKS}/${id}/deliveries?state=${state}`)).body.data.length;
  assert.deepEqual([await stateOf("held"), await stateOf("cancelled")], [3, 0]);
  await api.delete(`${WEBHOOKS}/${id}`);
  assert.deepEqual([await stateOf("held"), await stateOf("cancelled")], [0, 3]);
  assert.equal((await api.get(`${WEBHOOKS}/${id}`)).body.deactivated_reason, "deleted");
});

test("POST …/reactivate sends the waiting deliveries once, and names a revoked key that created the subscription", async ({ sql, workspace, api }) => {
  const mailbox = openMailbox("status=500,200");
  const maker = await makeKey(sql, workspace.id);
  const { id } = await subscribe(maker.key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  await operate(sql, "key_revoke", { workspace_id: workspace.id, id: maker.id });
  const { body: ended } = await api.get(`${WEBHOOKS}/${id}`);
  const { is_active, deactivated_reason, key_id } = ended;
  assert.deepEqual([is_active, deactivated_reason, key_id], [false, "key_revoked", maker.id]);

  const { status, body } = await api.post(`${WEBHOOKS}/${id}/reactivate`);
  assert.deepEqual([status, body.is_active, body.deactivated_at, body.resumed], [200, true, null, 1]);
  assert.deepEqual(body.revoked_key, { id: maker.id, name: "Teste", prefix: maker.key.slice(0, 12) });
  await mailbox.waitFor(2);
  const again = await api.post(`${WEBHOOKS}/${id}/reactivate`);
  assert.equal(again.body.resumed, 0, "an active subscription does not change");
});

test("During the overlap of POST …/rotate-secret the old secret still signs, and a repeated call replaces only the new secret", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox();
  const { id, secret: old } = await subscribe(key, mailbox.url, ["contact.created"]);
  const rotate = async (overlap_seconds: number) => {
    const { status, body } = await api.post(`${WEBHOOKS}/${id}/rotate-secret`, { overlap_seconds });
    assert.equal(status, 200);
    return body as { secret: string; old_secret_until: string | null };
  };
  const send = async (count: number) => {
    await api.post(LEADS, { first_name: "Ana" });
    return (await mailbox.waitFor(count)).at(-1)!;
  };
  const first = await rotate(3600);
  const left = Date.parse(first.old_secret_until!) - Date.now();
  assert.ok(left > 3_590_000 && left <= 3_600_000, `${left} ms`);
  checkDelivery(await send(1), old, first.secret);
  const second = await rotate(604_800);
  checkDelivery(await send(2), old, second.secret);
  assert.equal((await api.get(`${WEBHOOKS}/${id}`)).body.old_secret_until, second.old_secret_until);

  await sql`update crm.webhook_secrets set next_from = now() where subscription_id = ${id}`;
  assert.equal((await api.get(WEBHOOKS)).body.data[0].old_secret_until, null);
  const message = await send(3);
  checkDelivery(message, second.secret);
  for (const other of [old, first.secret]) assert.throws(() => checkDelivery(message, other));
  // The overlap has ended: only `second` signs, and it is the old secret of the next rotation.
  const third = await rotate(60);
  checkDelivery(await send(4), second.secret, third.secret);
  const last = await rotate(0);
  assert.equal(last.old_secret_until, null);
  checkDelivery(await send(5), last.secret);
  for (const wrong of [-1, 604_801, 1.5, "60", null, undefined]) {
    const reply = await api.post(`${WEBHOOKS}/${id}/rotate-secret`, { overlap_seconds: wrong });
    assertError(reply, "validation_error", ["overlap_seconds"]);
  }
});

test("A workspace has at most 50 active subscriptions, and creates at most 500 different ones in 30 days", async ({ sql, workspace: { id, key }, api }) => {
  const target_url = openMailbox().url;
  const post = (event = "deal.won") => api.post(WEBHOOKS, { event_types: [event], target_url });
  const insert = (count: number, active: number, age: string) =>
    sql`
    insert into crm.webhook_subscriptions (workspace_id, id, event_types, target_url, is_active)
    select ${id}, crm.uuid_v7(now() - ${age}::interval), '{deal.won}', 'https://127.0.0.1:9443/' || n, n <= ${active}
    from generate_series(1, ${count}::integer) n`;
  const { id: inactive } = await subscribe(key, target_url, ["deal.won"]);
  await api.delete(`${WEBHOOKS}/${inactive}`);
  await insert(50, 50, "1 day");
  const full = { target_url: "O workspace já tem 50 assinaturas ativas, o máximo" };
  assert.deepEqual(assertError(await post(), "validation_error"), full);
  assert.deepEqual(assertError(await api.post(`${WEBHOOKS}/${inactive}/reactivate`), "validation_error"), {
    active_subscriptions: full.target_url,
  });
  await sql`update crm.webhook_subscriptions set is_active = false where workspace_id = ${id}`;
  await insert(1000, 0, "31 days");
  await insert(499, 0, "29 days");
  const { body: last } = await post();
  assert.ok(last.id, "the same target and events count once, so this is not the 501st");
  assert.deepEqual(assertError(await post("deal.lost"), "validation_error"), {
    target_url: "O workspace já criou 500 assinaturas diferentes em 30 dias, o máximo",
  });
  // Subscribes again, as an automation tool does when its workflow is switched off and on.
  await api.delete(`${WEBHOOKS}/${last.id}`);
  assert.equal((await post()).status, 201, "a subscription to the same target and events can be repeated");
  for (let times = 1; times <= 9; times++) await insert(499, 0, "29 days");
  assert.deepEqual(assertError(await post(), "validation_error"), {
    target_url: "O workspace já criou 5.000 assinaturas em 30 dias, o máximo",
  });
});
