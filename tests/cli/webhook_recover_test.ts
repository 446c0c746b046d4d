import assert from "node:assert/strict";
import { openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { subscribe } from "../support/webhooks.ts";
import { assertMistake, json, say } from "./crm.ts";

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
