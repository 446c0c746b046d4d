import assert from "node:assert/strict";
import { assertError } from "../support/client.ts";
import { openMailbox } from "../support/mailbox.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { subscribe, waitForDelivery } from "../support/webhooks.ts";

const DELIVERIES = "/app-v1-deliveries";
const LEADS = "/api-v1-leads";

interface Header {
  name: string;
  value: string;
}

test("app-v1-deliveries shows a delivery as the API does, and the headers that its receiver got", async ({ sql, workspace: { id, key }, api }) => {
  const { client: gestor } = await signIn(sql, id, "gestor");
  const mailbox = openMailbox();
  const { id: webhook } = await subscribe(key, mailbox.url, ["lead.received"]);
  await api.post(LEADS, { first_name: "Ação" });
  const { id: delivery } = await waitForDelivery(sql, webhook, ({ state }) => state === "delivered");
  const read = async () => (await gestor.get(`${DELIVERIES}/${delivery}`)).body;
  const { headers: _, ...shown } = (await api.get(`/api-v1-webhooks/${webhook}/deliveries/${delivery}`)).body;
  const detail = await read();
  assert.deepEqual(detail, { ...shown, headers: detail.headers });

  const [message] = await mailbox.waitFor(1);
  const signatures = ["x-service-signature", "x-service-signature-next"];
  const changing = ["x-service-timestamp", ...signatures];
  const lower = ({ name, value }: Header): [string, string] => [name.toLowerCase(), value];
  const headers: [string, string][] = detail.headers.map(lower);
  const lasting = (headers: Iterable<[string, string]>) =>
    [...headers].filter(([name]) => !changing.includes(name)).sort();
  assert.deepEqual(lasting(headers), lasting(message!.headers));
  const values = new Map(headers);
  assert.match(values.get("x-service-timestamp")!, /^\d{10}$/);
  assert.ok(!values.has("x-service-signature-next"));
  await api.post(`/api-v1-webhooks/${webhook}/rotate-secret`, { overlap_seconds: 60 });
  const during: Header[] = (await read()).headers;
  const described = during.filter(({ name }) => signatures.includes(name.toLowerCase()));
  assert.deepEqual(described.map(({ name }) => name.toLowerCase()), signatures);
  for (const { value } of described) {
    assert.match(value, /^sha256=</);
    assert.doesNotMatch(value, /[0-9a-f]{64}/);
  }
});

test("Redelivering in the console sends the same delivery again, starts a new series of attempts, and adds a line to the log", async ({ sql, workspace: { id, key }, api }) => {
  const { client: gestor, memberId } = await signIn(sql, id, "gestor");
  const mailbox = openMailbox();
  const { id: webhook } = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  const { id: delivery } = await waitForDelivery(sql, webhook, ({ state }) => state === "delivered");

  const { body } = await gestor.post(`${DELIVERIES}/${delivery}/redeliver`);
  assert.deepEqual([body.id, body.state, body.attempts, body.held], [delivery, "pending", 0, false]);
  const messages = await mailbox.waitFor(2);
  assert.equal(new Set(messages.map((message) => message.body.delivery_id)).size, 1);
  await waitForDelivery(sql, webhook, ({ state }) => state === "delivered");
  const { body: shown } = await gestor.get(`${DELIVERIES}/${delivery}`);
  assert.deepEqual(
    shown.attempts_made.map(({ series, number }: { series: number; number: number }) => [series, number]),
    [[1, 1], [2, 1]],
  );
  const { body: log } = await gestor.get("/app-v1-activity?limit=1");
  const { id: _id, at, ...entry } = log.data[0];
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  assert.deepEqual(entry, {
    actor: { id: memberId, name: "Membro" },
    action: "delivery_redelivered",
    object: { type: "delivery", id: delivery, name: "contact.created" },
    details: { subscription_id: webhook },
  });
});

test("A delivery whose event was dropped is neither found, sent again nor listed", async ({ sql, workspace: { id, key } }) => {
  const { client: gestor } = await signIn(sql, id, "gestor");
  const { id: webhook } = await subscribe(key, openMailbox().url, ["deal.won"]);
  const { body: { delivery_id } } = await gestor.post(`/app-v1-webhooks/${webhook}/test`);
  await waitForDelivery(sql, webhook, ({ state }) => state === "delivered");
  await sql`delete from crm.events where workspace_id = ${id}`;
  for (const path of [`/${delivery_id}`, `/${UNKNOWN_ID}`]) {
    assertError(await gestor.get(`${DELIVERIES}${path}`), "not_found");
  }
  assertError(await gestor.post(`${DELIVERIES}/${delivery_id}/redeliver`), "not_found");
  assert.deepEqual((await gestor.get(`${DELIVERIES}?subscription_id=${webhook}`)).body.data, []);
});
