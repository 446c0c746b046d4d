import assert from "node:assert/strict";
import { openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { checkDelivery, subscribe } from "../support/webhooks.ts";
import { assertMistake, json, say } from "./crm.ts";

const LEADS = "/api-v1-leads";

test("webhook recover sends the events that a subscription missed, and delivery list filters them", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const mailbox = openMailbox();
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  const { id: other } = await subscribe(key, openMailbox().url, ["contact.created"]);
  await sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'failures' where id = ${id}`;
  const since = new Date(Date.now() - 1000).toISOString();
  for (let n = 0; n < 2; n++) await api.post(LEADS, { first_name: "Ana" });
  assert.match(
    await say("webhook", "show", id),
    /^Subscription \S+ is inactive since \S+Z \(a delivery failed five times\): /,
  );
  await assertMistake(["webhook", "recover", id, "--since", since], 1, /is inactive: reactivate it first/);
  await say("webhook", "reactivate", id);
  assert.deepEqual(await json("webhook", "recover", id, "--since", since), {
    count: 2,
    has_more: false,
    next_since: null,
  });
  await mailbox.waitFor(2);
  assert.equal(
    await say("webhook", "recover", id, "--since", since, "--until", "2199-01-01"),
    `0 deliveries are on the way to subscription ${id}\n`,
  );
  await assertMistake(["webhook", "recover", id, "--since", "2199-01-01"], 2, /begins in the past/);
  const list = (...options: string[]) => json("delivery", "list", "--workspace", workspace, ...options);
  assert.equal((await list()).length, 4);
  assert.equal((await list("--until", since)).length, 0);
  for (const subscription of [id, other]) {
    const rows = await list("--subscription", subscription, "--event", "contact.created", "--since", since);
    assert.deepEqual(rows.map((row: Record<string, string>) => row["subscription_id"]), [
      subscription,
      subscription,
    ]);
  }
  assert.deepEqual(await list("--state", "failed"), []);
  assert.deepEqual(await list("--since", "2199-01-01"), []);
  const [line] = await sql`
    select member_id, details from crm.audit_log where object_id = ${id} and action = 'webhook_recovered' order by id limit 1`;
  assert.deepEqual(line!["details"], { since, until: null, count: 2 });
});

test("webhook rotate --overlap keeps the old secret signing until the overlap ends", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox();
  const { id, secret: old } = await subscribe(key, mailbox.url, ["contact.created"]);
  const text = await say("webhook", "rotate", id, "--overlap", "3600");
  assert.match(text, /is shown only now; the earlier one goes on signing until 20\S+Z:\n\nwhsec_\S{43}\n$/);
  const { secret, old_secret_until } = await json("webhook", "rotate", id, "--overlap", "604800");
  assert.ok(Date.parse(old_secret_until) - Date.now() > 604_790_000);
  assert.match(await say("webhook", "show", id), /^The old secret goes on signing until 20\S+Z$/m);
  await api.post(LEADS, { first_name: "Ana" });
  checkDelivery((await mailbox.waitFor(1))[0]!, old, secret);
  await sql`update crm.webhook_secrets set next_from = now() where subscription_id = ${id}`;
  await api.post(LEADS, { first_name: "Bia" });
  checkDelivery((await mailbox.waitFor(2))[1]!, secret);
});
