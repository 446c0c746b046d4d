import assert from "node:assert/strict";
import { openMailbox } from "../support/mailbox.ts";
import { checkDelivery, subscribe, waitForDelivery } from "../support/webhooks.ts";
import { json, say } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("delivery list shows the deliveries of a workspace, and delivery retry makes waiting ones due (spec 6.5)", async ({ sql, workspace: { id: workspace, key }, api }) => {
  assert.equal(await say("delivery", "list", "--workspace", workspace), "The workspace has no delivery\n");

  const mailbox = openMailbox("status=503,200");
  const subscription = await subscribe(key, mailbox.url, ["lead.received"]);
  await api.post("/api-v1-leads", { first_name: "Ana" });
  const { id } = await waitForDelivery(sql, subscription.id, ({ attempts }) => attempts === 1);
  const [waiting] = await json("delivery", "list", "--workspace", workspace);
  const { created_at, last_attempt_at, next_attempt_at, last_duration_ms, ...others } = waiting;
  const { event_id: _, object_id: _object, occurred_at, ...rest } = others;
  assert.ok(Date.parse(occurred_at) <= Date.parse(created_at));
  assert.ok(last_duration_ms >= 0);
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
    object_type: "deal",
    is_test: false,
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

  // Sending an ended delivery again starts a new series; a waiting delivery stays in its series.
  const again = await json("delivery", "redeliver", id);
  assert.deepEqual([again.id, again.subscription_id, again.held], [id, subscription.id, false]);
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

test("delivery show prints the attempts of a delivery, and the headers and body that its receiver got", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox("status=503,200");
  const subscription = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post("/api-v1-leads", { first_name: "Ação" });
  const { id } = await waitForDelivery(sql, subscription.id, ({ attempts }) => attempts === 1);
  const shown = await json("delivery", "show", id);
  const { duration_ms, finished_at, ...attempt } = shown.attempts_made[0];
  assert.ok(duration_ms >= 0 && Date.parse(finished_at));
  assert.deepEqual([attempt, shown.attempts_made.length], [
    { series: 1, number: 1, status: 503, reason: "http_503" },
    1,
  ]);
  const [received] = await mailbox.waitFor(1);
  assert.equal(shown.body, new TextDecoder().decode(received!.raw));
  const text = await say("delivery", "show", id);
  assert.match(text, new RegExp(`^Delivery ${id} of contact\\.created to \\S+ is pending$`, "m"));
  assert.match(text, /^1 +1 +503 +http_503 /m);
  assert.match(text, /^X-Service-Event: contact\.created$/m);
});
