import assert from "node:assert/strict";
import { openMailbox } from "../support/mailbox.ts";
import { subscribe, waitForDelivery } from "../support/webhooks.ts";
import { json, say } from "./crm.ts";
import { test } from "../support/scenario.ts";

test("delivery list and show tell a delivery's state, retry makes the delivery due, and redeliver sends it once more (spec 6.5)", async ({ sql, workspace: { id: workspace, key }, api }) => {
  const list = ["delivery", "list", "--workspace", workspace];
  const retry = ["delivery", "retry", "--workspace", workspace];
  assert.equal(await say(...list), "The workspace has no delivery\n");

  const mailbox = openMailbox("status=503,200");
  const subscription = await subscribe(key, mailbox.url, ["lead.received"]);
  await api.post("/api-v1-leads", { first_name: "Ação" });
  const { id } = await waitForDelivery(sql, subscription.id, ({ attempts }) => attempts === 1);
  const [waiting] = await json(...list);
  const { created_at, last_attempt_at, next_attempt_at, last_duration_ms, ...others } = waiting;
  const { event_id: _, object_id: _object, occurred_at, ...rest } = others;
  assert.ok(occurred_at <= created_at && created_at <= last_attempt_at && last_duration_ms >= 0);
  const wait = Date.parse(next_attempt_at) - Date.parse(last_attempt_at);
  assert.ok(wait > 25_000, "the second is due after 30 s");
  assert.deepEqual(rest, {
    id,
    subscription_id: subscription.id,
    target_url: mailbox.url,
    event: "lead.received",
    object_type: "deal",
    object_name: "Ação",
    is_test: false,
    state: "pending",
    attempts: 1,
    last_status: 503,
    last_reason: "http_503",
  });
  assert.match(await say(...list), new RegExp(`^${id}  lead\\.received +pending +1 +503 +http_503 `, "m"));

  const shown = await json("delivery", "show", id);
  const [{ duration_ms, finished_at, ...attempt }] = shown.attempts_made;
  assert.ok(duration_ms >= 0 && Date.parse(finished_at));
  assert.deepEqual(attempt, { series: 1, number: 1, status: 503, reason: "http_503", answer: null });
  assert.equal(shown.body, new TextDecoder().decode((await mailbox.waitFor(1))[0]!.raw));
  const text = await say("delivery", "show", id);
  assert.match(text, new RegExp(`^Delivery ${id} of lead\\.received to \\S+ is pending$`, "m"));
  assert.match(text, /^1 +1 +503 +http_503 /m);
  assert.match(text, /^X-Service-Event: lead\.received$/m);

  assert.deepEqual(await json(...retry), { retried: 1 });
  await waitForDelivery(sql, subscription.id, ({ state }) => state === "delivered");
  const [delivered] = await json(...list);
  assert.deepEqual(
    [delivered.state, delivered.attempts, delivered.last_status, delivered.next_attempt_at],
    ["delivered", 2, 200, null],
  );
  assert.equal(await say(...retry), "0 deliveries are due now\n");
  assert.equal(
    await say("delivery", "redeliver", id),
    `The delivery ${id} is on its way to subscription ${subscription.id}\n`,
  );
  const messages = await mailbox.waitFor(3);
  assert.deepEqual(messages.map(({ body }) => body.delivery_id), [id, id, id]);
});
