import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { makeKey } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { passMidnight } from "../support/midnight.ts";
import { checkDelivery, subscribe, waitForDelivery, WEBHOOKS } from "../support/webhooks.ts";
import { assertMistake, assertOneLine, crm, json, say } from "./crm.ts";
import { test } from "../support/scenario.ts";

const LEADS = "/api-v1-leads";

test("webhook list shows the subscriptions of a workspace without secrets", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const list = ["webhook", "list", "--workspace", workspace];
  assert.equal(await say(...list), "The workspace has no webhook subscription\n");

  const first = await subscribe(key, openMailbox().url, ["deal.won", "deal.lost"]);
  const second = await subscribe(key, openMailbox().url, ["lead.received"]);
  await api.delete(`${WEBHOOKS}/${second.id}`);
  const { body: { data: [deleted, active] } } = await api.get(WEBHOOKS);
  const [made] = await json("key", "list", "--workspace", workspace);
  await sql`update crm.webhook_subscriptions set key_id = null where id = ${second.id}`;
  const shown = (await json(...list)).map(({ key: _, days: _days, ...row }: Record<string, unknown>) => row);
  const days_are_partial = false;
  const recent = { attempts: 0, success_rate: null, median_ms: null, p95_ms: null };
  assert.deepEqual(shown, [
    { ...active, days_are_partial, recent, key_id: made.id },
    { ...deleted, days_are_partial, recent, key_id: null },
  ], "active subscriptions first, each with the key that created it");
  const text = await say(...list);
  assert.match(
    text,
    new RegExp(`^${first.id}  https://\\S+  deal\\.won,deal\\.lost +yes +0 .*  ${made.id}$`, "m"),
  );
  assert.match(text, new RegExp(`^${second.id}  https://\\S+  lead\\.received +no +0 .*-$`, "m"));
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
  // Swedish writes dates as ISO 8601 does.
  const today = new Date().toLocaleDateString("sv", { timeZone: "America/Sao_Paulo" });
  assert.deepEqual([shown.days.at(-1).day, shown.days_are_partial], [today, false]);
  const text = await say("webhook", "show", id);
  assert.match(text, new RegExp(`^Subscription ${id} is active: https://\\S+$`, "m"));
  assert.match(text, new RegExp(`^Made by the key ${made.id} "Teste"$`, "m"));
});

test("webhook test sends the subscription's first event, or the one that --event names", async ({ sql, workspace: { key } }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["deal.won", "deal.lost"]);
  const other = openMailbox();
  await subscribe(key, other.url, ["deal.won"]);
  assert.match(await say("webhook", "test", id), /^The test event is on its way as delivery \S+: see /);
  const [message] = await mailbox.waitFor(1);
  const [{ data }] = await sql<[{ data: unknown }]>`select crm.sample_data('deal.won') as data`;
  assert.deepEqual([message!.body.test, message!.body.event, message!.body.data], [true, "deal.won", data]);
  await say("webhook", "test", id, "--event", "deal.lost");
  assert.equal((await mailbox.waitFor(2))[1]!.body.event, "deal.lost");
  assert.deepEqual(await other.messages(), [], "no other subscription receives it");
});

test("webhook reactivate makes waiting deliveries due, and warns if the key that made the subscription is revoked", async ({ sql, workspace, api }) => {
  const made = await makeKey(sql, workspace.id);
  const mailbox = openMailbox("status=500,200");
  const { id } = await subscribe(made.key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  await say("key", "revoke", made.id);

  const { code, stdout, stderr } = await crm(["webhook", "reactivate", id, "--json"]);
  const revoked_key = { id: made.id, name: "Teste", prefix: made.key.slice(0, 12) };
  const warning =
    `The key that made the subscription is revoked: ${made.id} ("Teste", ${revoked_key.prefix})`;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: `warning: ${warning}\n` });
  const shown = JSON.parse(stdout);
  assert.deepEqual([shown.id, shown.resumed, shown.revoked_key], [id, 1, revoked_key]);
  assert.deepEqual(shown.warnings, [warning]);
  await mailbox.waitFor(2);
  await sql`update crm.webhook_subscriptions set key_id = null where id = ${id}`;
  const said = `The subscription ${id} is active. 0 waiting deliveries are sent\n`;
  assert.equal(await say("webhook", "reactivate", id), said);
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

test("webhook rotate shows a new secret once, and says how long the old secret also signs", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  const rotate = ["webhook", "rotate", id];
  const shown = "The new secret of subscription \\S+ is shown only now:\n\nwhsec_\\S{43}\n$";
  assert.match(await say(...rotate), new RegExp(`^${shown}`));
  const { secret } = await json(...rotate);
  const [row] =
    await sql`select s::text as everything from crm.webhook_secrets s where subscription_id = ${id}`;
  assert.ok(!row!["everything"].includes(Buffer.from(secret).toString("hex")));

  const overlap = await say(...rotate, "--overlap", "3600");
  assert.match(overlap, new RegExp(`^The earlier secret also signs until 20\\S+Z\\.\n${shown}`));
  const { secret: next } = await json(...rotate, "--overlap", "604800");
  assert.match(await say("webhook", "show", id), /^The earlier secret also signs until 20\S+Z$/m);
  await api.post(LEADS, { first_name: "Ana" });
  checkDelivery((await mailbox.waitFor(1))[0]!, secret, next);
});

test("webhook rotate accepts an encryption key that differs from the functions' key only with --force", async ({ workspace: { key }, api }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  const rotate = ["webhook", "rotate", id];
  const other = { WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  const refused = /The encryption key does not decrypt the current secret/;
  assertOneLine(await crm(rotate, other), 1, refused, "another key");
  assert.equal((await crm([...rotate, "--force"], other)).code, 0);
  // The same error as after the loss of an encryption key: the functions' key does not decrypt the secret.
  assertOneLine(await crm(rotate), 1, refused, "the key of the stack");

  const { secret } = await json(...rotate, "--force");
  await api.post(LEADS, { first_name: "Ana" });
  checkDelivery((await mailbox.waitFor(1))[0]!, secret);
});

test("webhook recover sends the events that a subscription missed, and delivery list filters them", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  const { id: other } = await subscribe(key, openMailbox().url, ["contact.created"]);
  await sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'failures' where id = ${id}`;
  const since = new Date(Date.now() - 1000).toISOString();
  for (let n = 0; n < 2; n++) await api.post("/api-v1-leads", { first_name: "Ana" });
  assert.match(
    await say("webhook", "show", id),
    /^Subscription \S+ is inactive since \S+Z \(a delivery failed five times\): /,
  );
  const recover = ["webhook", "recover", id, "--since"];
  await assertMistake([...recover, since], 1, /is inactive: reactivate it first/);
  await say("webhook", "reactivate", id);
  assert.equal(await say(...recover, since, "--dry-run"), `2 events would be sent to subscription ${id}\n`);
  const { since: from, ...recovered } = await json(...recover, since);
  assert.deepEqual(recovered, { count: 2, has_more: false, next_since: null });
  await mailbox.waitFor(2);
  assert.equal(
    await say(...recover, since, "--until", "2199-01-01"),
    `0 deliveries are on the way to subscription ${id}\n`,
  );
  await say(...recover, "2026-01-01", "--before-creation");
  await assertMistake([...recover, "2199-01-01"], 2, /for a recovery, a moment in the past/);

  const list = async (...options: string[]) =>
    (await json("delivery", "list", "--workspace", workspace, ...options))
      .map((row: Record<string, string>) => row["subscription_id"]);
  assert.deepEqual((await list()).sort(), [id, id, other, other].sort());
  const filters = ["--subscription", other, "--event", "contact.created", "--since", since];
  assert.deepEqual(await list(...filters), [other, other]);
  for (const [filter, value] of [["until", since], ["state", "failed"], ["since", "2199-01-01"]] as const) {
    assert.deepEqual(await list(`--${filter}`, value), [], filter);
  }
  const [line] = await sql`
    select details from crm.audit_log where object_id = ${id} and action = 'webhook_recovered' order by id limit 1`;
  assert.deepEqual(line!["details"], { since: from, until: null, count: 2 });
});
