import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { operate } from "../../run/operator/operator.ts";
import { assertError } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { addDeliveries, checkDelivery, subscribe, waitForDelivery } from "../support/webhooks.ts";

const WEBHOOKS = "/app-v1-webhooks";
const DELIVERIES = "/app-v1-deliveries";
const LEADS = "/api-v1-leads";

/** What members did with a subscription or delivery, by the audit log, oldest first. */
async function actionsOf(sql: Sql, objectId: string): Promise<string[]> {
  const lines = await sql<{ action: string }[]>`
    select action from crm.audit_log where object_id = ${objectId} and member_id is not null order by id`;
  return lines.map(({ action }) => action);
}

test("app-v1-webhooks applies the API's rules for events and addresses, and its maximum of active webhooks", async ({ sql, workspace: { id } }) => {
  const { client: gestor } = await signIn(sql, id, "gestor");
  const post = (event: string, target_url: string) =>
    gestor.post(WEBHOOKS, { event_types: [event], target_url });
  assertError(await post("deal.eaten", "https://example.com/"), "invalid_event_type");
  assertError(await post("deal.won", "https://10.0.0.1/"), "invalid_target_url");
  await sql`
    insert into crm.webhook_subscriptions (workspace_id, event_types, target_url, is_active)
    select ${id}, '{deal.won}', 'https://example.com/' || n, n <= 50 from generate_series(1, 51) n`;
  const full = assertError(await post("deal.won", "https://example.com/"), "validation_error");
  assert.deepEqual(full, { target_url: "O workspace já tem 50 assinaturas ativas, o máximo" });
  const { body: { data } } = await gestor.get(WEBHOOKS);
  assert.equal(data.length, 51);
  const inactive = data.at(-1);
  assert.equal(inactive.is_active, false, "active ones first");
  assertError(await gestor.post(`${WEBHOOKS}/${inactive.id}/reactivate`), "validation_error");
  await gestor.delete(`${WEBHOOKS}/${data[0].id}`);
  assert.equal((await gestor.post(`${WEBHOOKS}/${inactive.id}/reactivate`)).status, 200);
});

test("Every webhook action of the console answers as the API does, and the log names who did it (spec 7)", async ({ sql, workspace: { id }, api }) => {
  const { client: gestor } = await signIn(sql, id, "gestor");
  const mailbox = openMailbox("status=500,200");
  const maker = await makeKey(sql, id);
  const { id: webhook, secret: old } = await subscribe(maker.key, mailbox.url, ["contact.created"]);
  const path = `${WEBHOOKS}/${webhook}`;
  const since = new Date(Date.now() - 1000).toISOString();
  await api.post(LEADS, { first_name: "Ana" });
  await waitForDelivery(sql, webhook, ({ attempts }) => attempts === 1);
  await operate(sql, "key_revoke", { workspace_id: id, id: maker.id });
  await api.post(LEADS, { first_name: "Bia" });
  const recover = () => gestor.post(`${path}/recover`, { since });
  assertError(await recover(), "subscription_inactive");

  const { body: active } = await gestor.post(`${path}/reactivate`);
  assert.deepEqual([active.is_active, active.failure_count, active.resumed], [true, 0, 1]);
  assert.deepEqual([active.key.id, active.revoked_key.id], [maker.id, maker.id]);
  await mailbox.waitFor(2);
  assert.equal((await gestor.post(`${path}/reactivate`)).body.resumed, 0);
  const counted = await gestor.post(`${path}/recover`, { since, dry_run: true });
  assert.deepEqual([counted.status, counted.body.count], [202, 1]);
  const { status, body: { since: from, ...recovered } } = await recover();
  assert.deepEqual([status, recovered], [202, { count: 1, has_more: false, next_since: null }]);
  assert.ok(from >= since, "no event is from before the subscription");
  await mailbox.waitFor(3);

  const overlapping = await gestor.post(`${path}/rotate`, { overlap_seconds: 3600 });
  assert.ok(Date.parse(overlapping.body.old_secret_until) > Date.now() + 3_590_000);
  const { body: rotated } = await gestor.post(`${WEBHOOKS}/${webhook.toUpperCase()}/rotate`, {
    overlap_seconds: 0,
  });
  assert.deepEqual([rotated.id, rotated.old_secret_until], [webhook, null]);
  const { body: { delivery_id, held } } = await gestor.post(`${path}/test`);
  assert.equal(held, false);
  const message = (await mailbox.waitFor(4)).find(({ body }) => body.delivery_id === delivery_id)!;
  checkDelivery(message, rotated.secret);
  assert.throws(() => checkDelivery(message, old));

  for (let time = 0; time < 2; time++) assert.equal((await gestor.delete(path)).status, 204);
  assertError(await gestor.post(`${path}/test`), "subscription_inactive");
  assertError(await gestor.post(`${DELIVERIES}/${delivery_id}/redeliver`), "subscription_inactive");
  assert.deepEqual(await actionsOf(sql, webhook), [
    "webhook_reactivated",
    "webhook_recovered",
    "webhook_rotated",
    "webhook_rotated",
    "webhook_tested",
    "webhook_deactivated",
  ]);
  assert.deepEqual(await actionsOf(sql, delivery_id), []);
});

test("The console creates a webhook with filters, body and header and changes them; its deliveries are signed, and the log shows no header's value", async ({ sql, workspace: { id, memberId, pipelineId }, api }) => {
  const { client: gestor } = await signIn(sql, id, "gestor");
  const mailbox = openMailbox();
  const { status, text, body, headers } = await gestor.post(WEBHOOKS, {
    event_types: ["deal.won"],
    target_url: mailbox.url,
    filters: { pipeline_id: pipelineId },
    payload: "ids",
    header: { name: "X-Api-Key", value: "s3cr3t-1" },
  });
  assert.equal(status, 201, text);
  const path = `${WEBHOOKS}/${body.id}`;
  assert.deepEqual(
    [body.filters, body.payload, body.header],
    [{ pipeline_id: [pipelineId] }, "ids", { name: "X-Api-Key" }],
  );
  assert.ok(headers.get("Location")!.endsWith(path));
  const { secret, ...before } = body;
  assert.equal(before.key, null);
  assert.deepEqual((await gestor.get(path)).body, before);
  const changed = await gestor.patch(`${WEBHOOKS}/${body.id.toUpperCase()}`, {
    event_types: ["contact.created"],
    filters: { owner_id: memberId },
    payload: null,
    header: { name: "Authorization", value: "s3cr3t-2" },
  });
  assert.deepEqual(changed.body, {
    ...before,
    event_types: ["contact.created"],
    filters: { owner_id: [memberId] },
    payload: "full",
    header: { name: "Authorization" },
  });
  await api.post("/api-v1-contacts", { name: "Ana" });
  const [message] = await mailbox.waitFor(1);
  checkDelivery(message!, secret);
  assert.equal(message!.headers.get("Authorization"), "s3cr3t-2");
  assert.equal(message!.body.data.name, "Ana");
  const cleared = (await gestor.patch(path, { filters: null, header: null })).body;
  assert.deepEqual([cleared.filters, cleared.header], [null, null]);

  const reference = await gestor.patch(path, { filters: { pipeline_id: UNKNOWN_ID } });
  assertError(reference, "invalid_reference", ["filters.pipeline_id"]);
  assertError(await gestor.patch(path, { header: { name: "Host", value: "x" } }), "validation_error");

  const lines = await sql<{ action: string; details: Record<string, unknown> }[]>`
    select action, details from crm.audit_log where object_id = ${body.id} order by id`;
  assert.deepEqual(
    lines.map(({ action, details }) => [action, details["header"]]),
    [
      ["webhook_created", { name: "X-Api-Key" }],
      ["webhook_updated", { from: { name: "X-Api-Key" }, to: { name: "Authorization" } }],
      ["webhook_updated", { from: { name: "Authorization" }, to: null }],
    ],
  );
  assert.ok(!JSON.stringify(lines).includes("s3cr3t"));
});

test("In a suspended workspace webhooks are shown as held, and a test or redelivery waits", async ({ sql, workspace: { id, key } }) => {
  const { client: gestor } = await signIn(sql, id, "gestor");
  const { id: webhook } = await subscribe(key, openMailbox().url, ["deal.won"]);
  await operate(sql, "workspace_update", { workspace_id: id, suspended: true });
  const { body } = await gestor.post(`${WEBHOOKS}/${webhook}/test`);
  assert.equal(body.held, true);
  assert.equal((await gestor.get(WEBHOOKS)).body.data[0].held, true);
  const { body: again } = await gestor.post(`${DELIVERIES}/${body.delivery_id}/redeliver`);
  assert.deepEqual([again.held, again.state, again.attempts], [true, "held", 0]);
});

test("A webhook with more deliveries than are counted says that its figures are partial", async ({ sql, workspace: { id, key } }) => {
  const { client: gestor } = await signIn(sql, id, "gestor");
  const { id: webhook } = await subscribe(key, openMailbox().url, ["deal.won"]);
  await addDeliveries(sql, id, webhook, { count: 1001, states: ["delivered"], events: ["deal.won"] });
  const { body } = await gestor.get(`${WEBHOOKS}/${webhook}`);
  assert.deepEqual([body.days.at(-1).delivered, body.days_are_partial], [1000, true]);

  // Cancelled deliveries are in no figure, even if they are among the newest.
  await sql`
    update crm.webhook_deliveries set state = 'cancelled'
    where id in (select id from crm.webhook_deliveries where subscription_id = ${webhook} order by id desc limit 600)`;
  const { body: later } = await gestor.get(`${WEBHOOKS}/${webhook}`);
  assert.deepEqual([later.days.at(-1).delivered, later.days_are_partial], [400, true]);
});
