// Deliveries that the dispatcher made, verified as a receiver does.
import assert from "node:assert/strict";
import { verifyWebhook, type WebhookHeaders } from "../../clients/sdk/src/index.ts";
import { type Message, openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { recordingCrm } from "../support/sdk.ts";

const INVALID = { name: "CrmError", code: "invalid_signature", status: 0 };

/** Subscribes a mailbox, and wins a deal for each delivery that `receive` returns. */
async function receiver(key: string) {
  const { crm } = recordingCrm(key);
  const mailbox = openMailbox();
  const { id, secret } = await crm.webhooks.create({ event_types: ["deal.won"], target_url: mailbox.url });
  let received = 0;
  return {
    crm,
    id,
    secret,
    async receive(): Promise<Message> {
      const { id } = await crm.deals.create({ title: "Pão & café", value: 10 });
      await crm.deals.win(id, { value: 1250.5 });
      return (await mailbox.waitFor(++received)).at(-1)!;
    },
  };
}

test("A delivery is verified from text, bytes and a buffer, with the headers of a Request or of Node", async ({ workspace: { key } }) => {
  const { secret, receive } = await receiver(key);
  const { raw, headers } = await receive();
  const ofNode = Object.fromEntries(headers);
  const bodies = [new TextDecoder().decode(raw), raw, raw.slice().buffer];
  for (const body of bodies) {
    for (const given of [headers, ofNode, { ...ofNode, "x-other": ["a", "b"] }] satisfies WebhookHeaders[]) {
      const delivery = await verifyWebhook(body, given, secret);
      assert.ok(delivery.event === "deal.won");
      assert.equal(delivery.data.value, 1250.5);
      assert.equal(delivery.data.title, "Pão & café");
      assert.equal(delivery.delivery_id, headers.get("X-Service-Delivery-Id"));
    }
  }
});

test("While a secret is replaced, either secret or both verify a delivery; afterwards only the new one", async ({ workspace: { key } }) => {
  const { crm, id, secret: old, receive } = await receiver(key);
  const { secret: next } = await crm.webhooks.rotateSecret(id, { overlap_seconds: 3600 });
  const during = await receive();
  assert.ok(during.headers.has("X-Service-Signature-Next"));
  for (const secrets of [old, next, [old, next], [next, undefined, ""]]) {
    assert.equal((await verifyWebhook(during.raw, during.headers, secrets)).event, "deal.won");
  }
  const { secret: last } = await crm.webhooks.rotateSecret(id, { overlap_seconds: 0 });
  const after = await receive();
  assert.equal((await verifyWebhook(after.raw, after.headers, [next, last])).event, "deal.won");
  for (const secrets of [old, next]) {
    await assert.rejects(verifyWebhook(after.raw, after.headers, secrets), INVALID);
  }
});

test("A delivery that was altered, is signed with another secret or lacks a header is invalid_signature", async ({ workspace: { key } }) => {
  const { secret, receive } = await receiver(key);
  const { raw, headers } = await receive();
  const altered = raw.slice();
  altered[altered.length - 2]! ^= 1;
  await assert.rejects(verifyWebhook(altered, headers, secret), INVALID);
  await assert.rejects(verifyWebhook(raw, headers, `${secret}x`), INVALID);
  const changes: Record<string, string>[] = [
    { "X-Service-Timestamp": String(Number(headers.get("X-Service-Timestamp")) + 1) },
    { "X-Service-Timestamp": "soon" },
    { "X-Service-Signature": headers.get("X-Service-Signature")!.replace("sha256=", "") },
    { "X-Service-Signature": "sha256=" + "0".repeat(64) },
    { "X-Service-Signature": "" },
  ];
  for (const change of changes) {
    const changed = new Headers(headers);
    for (const [name, value] of Object.entries(change)) changed.set(name, value);
    await assert.rejects(verifyWebhook(raw, changed, secret), INVALID);
  }
  await assert.rejects(verifyWebhook(raw, {}, secret), INVALID);
  const parsed = JSON.parse(new TextDecoder().decode(raw));
  await assert.rejects(verifyWebhook(parsed, headers, secret), /takes the raw body/);
  for (const secrets of [undefined, "", [], [undefined, ""]]) {
    await assert.rejects(verifyWebhook(raw, headers, secrets), /there is no secret/);
  }
});

test("An old genuine delivery is stale_delivery, unless the given tolerance allows its age", async ({ workspace: { key } }) => {
  const { secret, receive } = await receiver(key);
  const { raw, headers } = await receive();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const stale = { name: "CrmError", code: "stale_delivery" };
  for (const tolerance of [1, NaN]) {
    await assert.rejects(verifyWebhook(raw, headers, secret, { tolerance }), stale);
  }
  assert.ok(await verifyWebhook(raw, headers, secret, { tolerance: 60 }));
});
