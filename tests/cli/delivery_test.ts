import assert from "node:assert/strict";
import { openMailbox } from "../support/mailbox.ts";
import { checkDelivery, subscribe, waitForDelivery } from "../support/webhooks.ts";
import { assertMistake, json, say, UNKNOWN_ID } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("delivery list shows the deliveries of an event, and delivery retry does not wait for its next attempt", async ({ sql, workspace: { id: workspace, key }, api }) => {
  assert.equal(await say("delivery", "list", "--workspace", workspace), "The workspace has no delivery\n");

  const mailbox = openMailbox("status=503,200");
  const subscription = await subscribe(key, mailbox.url, ["lead.received"]);
  await api.post("/api-v1-leads", { first_name: "Ana" });
  const { id } = await waitForDelivery(sql, subscription.id, ({ attempts }) => attempts === 1);
  const [waiting] = await json("delivery", "list", "--workspace", workspace);
  const { created_at, last_attempt_at, next_attempt_at, ...rest } = waiting;
  assert.ok(Date.parse(created_at) <= Date.parse(last_attempt_at));
  assert.ok(
    Date.parse(next_attempt_at) - Date.parse(last_attempt_at) > 25_000,
    "the second is due after 30 s",
  );
  assert.deepEqual(rest, {
    id,
    subscription_id: subscription.id,
    target_url: mailbox.url,
    event: "lead.received",
    state: "pending",
    attempts: 1,
    last_status: 503,
    last_reason: "http_503",
  });
  const text = await say("delivery", "list", "--workspace", workspace);
  assert.match(text, new RegExp(`^${id}  lead\\.received +pending +1 +503 +http_503 `, "m"));

  assert.deepEqual(await json("delivery", "retry", "--workspace", workspace), { retried: 1 });
  await mailbox.waitFor(2);
  await waitForDelivery(sql, subscription.id, ({ state }) => state === "delivered");
  const [delivered] = await json("delivery", "list", "--workspace", workspace);
  assert.deepEqual(
    [delivered.state, delivered.attempts, delivered.last_status, delivered.next_attempt_at],
    ["delivered", 2, 200, null],
  );
  assert.equal(await say("delivery", "retry", "--workspace", workspace), "0 deliveries are due now\n");
});

test("delivery redeliver sends a delivery again at once, under its id", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const mailbox = openMailbox("status=200,500,200");
  const subscription = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post("/api-v1-leads", { first_name: "Ana" });
  const { id } = await waitForDelivery(sql, subscription.id, ({ state }) => state === "delivered");

  // A delivery that had ended begins a new series; a waiting one continues its series.
  assert.deepEqual(await json("delivery", "redeliver", id), {
    ...{ id, subscription_id: subscription.id, held: false },
  });
  await waitForDelivery(sql, subscription.id, ({ state, attempts }) => state === "pending" && attempts === 1);
  assert.equal(
    await say("delivery", "redeliver", id),
    `The delivery ${id} is on its way to subscription ${subscription.id}\n`,
  );
  const messages = await mailbox.waitFor(3);
  for (const message of messages) {
    checkDelivery(message, subscription.secret);
    assert.equal(message.body.delivery_id, id);
  }
  await waitForDelivery(
    sql,
    subscription.id,
    ({ state, attempts }) => state === "delivered" && attempts === 2,
  );
  const listed = await json("delivery", "list", "--workspace", workspace);
  assert.equal(listed.length, 1);
});

Deno.test("delivery … reports each mistake in one line", async () => {
  await Promise.all([
    assertMistake(["delivery", "list"], 2, /--workspace <id>' not specified/),
    assertMistake(["delivery", "list", "--workspace", UNKNOWN_ID], 1, /No workspace has the id/),
    assertMistake(["delivery", "retry", "--workspace", UNKNOWN_ID], 1, /No workspace has the id/),
    assertMistake(["delivery", "redeliver", UNKNOWN_ID], 1, /No delivery has the id/),
    assertMistake(["delivery", "redeliver"], 2, /missing required argument/),
  ]);
});
