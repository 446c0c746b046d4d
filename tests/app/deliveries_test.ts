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
