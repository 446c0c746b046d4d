import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { deliveryBody } from "../../tools/openapi/events.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { makeKey } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { passMidnight } from "../support/midnight.ts";
import { checkDelivery, letTimePass, subscribe, waitForDelivery, WEBHOOKS } from "../support/webhooks.ts";
import { assertMistake, assertOneLine, crm, json, say } from "./crm.ts";
import { test } from "../support/scenario.ts";

const LEADS = "/api-v1-leads";
const NIL_ID = "00000000-0000-0000-0000-000000000000";

test("webhook list shows the subscriptions of a workspace without secrets", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const list = ["webhook", "list", "--workspace", workspace] as const;
  assert.equal(await say(...list), "The workspace has no webhook subscription\n");

  const first = await subscribe(key, openMailbox().url, ["deal.won", "deal.lost"]);
  const second = await subscribe(key, openMailbox().url, ["lead.received"]);
  await api.delete(`${WEBHOOKS}/${second.id}`);
  const { body } = await api.get(WEBHOOKS);
  const [made] = await json("key", "list", "--workspace", workspace);
  await sql`update crm.webhook_subscriptions set key_id = null where id = ${second.id}`;
  const shown = (await json(...list)).map(({ key: _key, days: _days, ...row }: { [name: string]: unknown }) =>
    row
  );
  const others = { days_are_partial: false };
  assert.deepEqual(
    shown,
    body.data.toReversed().map((record: { id: string }) => ({
      ...record,
      ...others,
      key_id: record.id === first.id ? made.id : null,
    })),
    "active ones first, with the key that made each",
  );
  const text = await say(...list);
  assert.match(text, new RegExp(`^${first.id}  https://\\S+  deal\\.won,deal\\.lost +yes +0 `, "m"));
  assert.match(text, new RegExp(`^${second.id}  https://\\S+  lead\\.received +no +0 .*-$`, "m"));
  assert.match(text, new RegExp(`^${first.id}  .*  ${made.id}$`, "m"));
});

test("webhook show counts deliveries by day and outcome, and names the key that made the subscription", async ({ sql, workspace: { id: workspace, key } }) => {
  const { id } = await subscribe(key, openMailbox().url, ["deal.won"]);
  const [made] = await json("key", "list", "--workspace", workspace);
  await passMidnight();
  await sql`
    with event as (
      insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at)
      select ${workspace}, crm.uuid_v7(at), 'deal.won', gen_random_uuid(), '{"test": true}', at
      from unnest(array[now() - interval '8 days', now() - interval '2 days', now() - interval '2 days', now()]) at
      returning *
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id, state, created_at)
    select workspace_id, crm.uuid_v7(occurred_at), id, ${id}, 'delivered', occurred_at from event`;
  await sql`update crm.webhook_deliveries set state = 'failed' where id = (
    select max(id::text)::uuid from crm.webhook_deliveries where subscription_id = ${id})`;
  const shown = await json("webhook", "show", id);
  assert.deepEqual(shown.key, { id: made.id, name: "Teste" });
  assert.deepEqual(
    shown.days.map(({ delivered, failed, waiting }: Record<string, number>) => [delivered, failed, waiting]),
    [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [2, 0, 0], [0, 0, 0], [0, 1, 0]],
  );
  assert.deepEqual(
    [shown.days.at(-1).day, shown.days_are_partial],
    [new Date().toISOString().slice(0, 10), false],
  );
  const text = await say("webhook", "show", id);
  assert.match(text, new RegExp(`^Subscription ${id} is active: https://\\S+$`, "m"));
  assert.match(text, new RegExp(`^Made by the key ${made.id} "Teste"$`, "m"));
});

test("webhook test sends a signed event that a receiver can distinguish from a real one", async ({ sql, workspace: { id: workspace, key } }) => {
  const mailbox = openMailbox();
  const { id, secret } = await subscribe(key, mailbox.url, ["deal.won", "deal.lost"]);
  const other = openMailbox();
  await subscribe(key, other.url, ["deal.won"]);

  const { delivery_id } = await json("webhook", "test", id);
  const [message] = await mailbox.waitFor(1);
  checkDelivery(message!, secret);
  const { occurred_at: _, event_id: __, ...body } = message!.body;
  const [{ data }] = await sql<[{ data: unknown }]>`select crm.sample_data('deal.won') as data`;
  assert.deepEqual(body, {
    event: "deal.won",
    workspace_id: workspace,
    object_type: "deal",
    object_id: NIL_ID,
    data,
    delivery_id,
    test: true,
  });
  assert.match(await say("webhook", "test", id), /^The test event is on its way as delivery \S+: see /);
  await say("webhook", "test", id, "--event", "deal.lost");
  const messages = await mailbox.waitFor(3);
  assert.deepEqual(messages.map(({ body }) => body.event).sort(), ["deal.lost", "deal.won", "deal.won"]);
  assert.deepEqual(await other.messages(), [], "no other subscription receives it");
});

test("A test event can be sent of every event in the catalog", async ({ sql, workspace: { id: workspace, key } }) => {
  const mailbox = openMailbox();
  for (const event of EVENT_TYPES) {
    const { id } = await subscribe(key, mailbox.url, [event]);
    await sql`select crm.send_test_event(${workspace}, ${id})`;
  }
  await sql`select crm.poke_dispatcher()`;
  const messages = await mailbox.waitFor(EVENT_TYPES.length);
  assert.deepEqual(messages.map(({ body }) => body.event).sort(), [...EVENT_TYPES].sort());
  for (const { body } of messages) {
    const object = body.event === "lead.received" ? "deal" : body.event.split(".")[0];
    const { data, ...rest } = body;
    assert.deepEqual([rest.object_type, rest.object_id, rest.test], [object, NIL_ID, true]);
    assert.deepEqual(deliveryBody(body.event).parse({ ...rest, data }).data, data);
  }
});

test("webhook reactivate makes waiting deliveries due at once, with a failure_count of 0", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox("status=500,200");
  const { id, secret } = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;

  const reactivated = await json("webhook", "reactivate", id);
  assert.deepEqual([reactivated.id, reactivated.resumed, reactivated.revoked_key, reactivated.warnings], [
    id,
    1,
    null,
    [],
  ]);
  const [failed, delivered] = await mailbox.waitFor(2);
  checkDelivery(delivered!, secret);
  assert.equal(delivered!.body.delivery_id, failed!.body.delivery_id);
  const { attempts } = await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  assert.equal(attempts, 2, "the second attempt of the same series");
  const [row] = await sql`select is_active, failure_count from crm.webhook_subscriptions where id = ${id}`;
  assert.deepEqual({ ...row }, { is_active: true, failure_count: 0 });
  assert.equal(
    await say("webhook", "reactivate", id),
    `The subscription ${id} is active; 0 deliveries go on\n`,
  );
});

test("webhook reactivate changes nothing on an active subscription", async ({ sql, workspace: { key }, api }) => {
  const { id } = await subscribe(key, openMailbox("status=500").url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  const before = await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  assert.equal((await json("webhook", "reactivate", id)).resumed, 0);
  const [row] = await sql`select failure_count from crm.webhook_subscriptions where id = ${id}`;
  assert.equal(row!["failure_count"], 1);
  assert.deepEqual(await waitForDelivery(sql, id, () => true), before);
});

test("webhook reactivate warns if the key that made the subscription is revoked", async ({ sql, workspace }) => {
  const made = await makeKey(sql, workspace.id);
  const { id } = await subscribe(made.key, openMailbox().url, ["deal.won"]);
  await say("key", "revoke", made.id);
  const { code, stdout, stderr } = await crm(["webhook", "reactivate", id, "--json"]);
  const revoked_key = { id: made.id, name: "Teste", prefix: made.key.slice(0, 12) };
  const warning =
    `The key that made the subscription is revoked: ${made.id} ("Teste", ${revoked_key.prefix})`;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: `warning: ${warning}\n` });
  const shown = JSON.parse(stdout);
  assert.deepEqual([shown.id, shown.resumed, shown.revoked_key, shown.warnings], [id, 0, revoked_key, [
    warning,
  ]]);
  const [row] = await sql`select is_active from crm.webhook_subscriptions where id = ${id}`;
  assert.equal(row!["is_active"], true);
});

test("webhook test and delivery redeliver say if a delivery waits because the workspace may not send", async ({ workspace }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(workspace.key, mailbox.url, ["deal.won"]);
  const held = /^The (test event|delivery) .* ?waits.*: the workspace is suspended or has no public API\n$/;
  for (const plan of ["--suspended", "--public-api"]) {
    const isSuspension = plan === "--suspended";
    await say("workspace", "update", workspace.id, plan, String(isSuspension));
    const sent = await json("webhook", "test", id);
    assert.equal(sent.held, true);
    assert.match(await say("webhook", "test", id), held);
    assert.match(await say("delivery", "redeliver", sent.delivery_id), held);
    assert.equal((await json("delivery", "redeliver", sent.delivery_id)).held, true);
    await say("workspace", "update", workspace.id, plan, String(!isSuspension));
  }
  assert.equal((await json("webhook", "test", id)).held, false);
  await mailbox.waitFor(5);
});

test("A delivery that failed five times arrives after reactivate and redeliver, in a new series", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const mailbox = openMailbox("status=500,500,500,500,500,200");
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  for (let attempt = 1; attempt < 5; attempt++) {
    await waitForDelivery(sql, id, ({ attempts }) => attempts === attempt);
    await letTimePass(sql, id);
  }
  const { id: delivery } = await waitForDelivery(sql, id, ({ state }) => state === "failed");

  const inactive = /is inactive: reactivate it first/;
  await assertMistake(["delivery", "redeliver", delivery], 1, inactive);
  await assertMistake(["webhook", "test", id], 1, inactive);
  assert.equal((await json("webhook", "reactivate", id)).resumed, 0);
  assert.equal((await mailbox.messages()).length, 5, "a failed delivery is sent again only by redeliver");

  await say("delivery", "redeliver", delivery);
  await mailbox.waitFor(6);
  const { attempts } = await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  assert.equal(attempts, 1);
  assert.equal(new Set((await mailbox.messages()).map(({ body }) => body.delivery_id)).size, 1);
  const [shown] = await json("delivery", "list", "--workspace", workspace);
  assert.deepEqual([shown.state, shown.last_status, shown.last_reason], ["delivered", 200, null]);
  const history = await sql`
    select series, number, status from crm.webhook_attempts where delivery_id = ${delivery} order by series, number`;
  assert.deepEqual(history.map(({ series, number, status }) => [series, number, status]), [
    ...[1, 2, 3, 4, 5].map((number) => [1, number, 500]),
    [2, 1, 200],
  ]);
});

test("webhook rotate shows a new secret once, and all later deliveries are signed with it", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox();
  const { id, secret: old } = await subscribe(key, mailbox.url, ["contact.created"]);
  const text = await say("webhook", "rotate", id);
  const [, shown] =
    /^The new secret of subscription \S+ is shown only now:\n\n(whsec_\S{43})\n$/.exec(text) ?? [];
  const { secret } = await json("webhook", "rotate", id);
  assert.equal(new Set([old, shown, secret]).size, 3);

  await api.post(LEADS, { first_name: "Ana" });
  const [message] = await mailbox.waitFor(1);
  checkDelivery(message!, secret);
  for (const former of [old, shown!]) assert.throws(() => checkDelivery(message!, former));
  const [row] =
    await sql`select s::text as everything from crm.webhook_secrets s where subscription_id = ${id}`;
  assert.ok(!row!["everything"].includes(Array.from(new TextEncoder().encode(secret), hex).join("")));
});

test("webhook rotate accepts another encryption key than the functions' only with --force", async ({ workspace: { key }, api }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  const rotate = ["webhook", "rotate", id];
  const other = { WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  const refused = /The encryption key does not decrypt the current secret/;
  assertOneLine(await crm(rotate, other), 1, refused, "another key");
  assert.equal((await crm([...rotate, "--force"], other)).code, 0);
  // The same error after a key was lost: the functions' key cannot decrypt the current secret.
  assertOneLine(await crm(rotate), 1, refused, "the key of the stack");

  const { secret } = await json(...rotate, "--force");
  await api.post(LEADS, { first_name: "Ana" });
  checkDelivery((await mailbox.waitFor(1))[0]!, secret);
});

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
