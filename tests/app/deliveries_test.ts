import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, memberClient } from "../support/client.ts";
import { openMailbox } from "../support/mailbox.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { addDeliveries, letTimePass, subscribe, waitForDelivery } from "../support/webhooks.ts";

const WEBHOOKS = "/app-v1-webhooks";
const DELIVERIES = "/app-v1-deliveries";
const LEADS = "/api-v1-leads";

const manager = async (sql: Sql, workspaceId: string) =>
  memberClient((await signIn(sql, workspaceId, "gestor")).session);

test("app-v1-deliveries shows a delivery's attempts, and the body and headers that its receiver got", async ({ sql, workspace: { id, key }, api }) => {
  const gestor = await manager(sql, id);
  const mailbox = openMailbox("status=503,204");
  const { id: webhook } = await subscribe(key, mailbox.url, ["lead.received"]);
  await subscribe(key, openMailbox().url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ação" });
  await waitForDelivery(sql, webhook, ({ attempts }) => attempts === 1);
  await letTimePass(sql, webhook);
  await waitForDelivery(sql, webhook, ({ state }) => state === "delivered");

  const { body: { data } } = await gestor.get(`${DELIVERIES}?subscription_id=${webhook}`);
  assert.deepEqual(data.map(({ event }: { event: string }) => event), ["lead.received"]);
  assert.equal((await gestor.get(DELIVERIES)).body.data.length, 2);
  const { body } = await gestor.get(`${DELIVERIES}/${data[0].id}`);
  const { attempts_made, body: sent, body_as_sent, headers, ...listed } = body;
  assert.deepEqual([listed, body_as_sent], [data[0], true]);
  assert.deepEqual(
    attempts_made.map((
      attempt: Record<string, unknown>,
    ) => [attempt["number"], attempt["status"], attempt["reason"]]),
    [[1, 503, "http_503"], [2, 204, null]],
  );
  const [, message] = await mailbox.waitFor(2);
  assert.equal(sent, new TextDecoder().decode(message!.raw));
  const signatures = ["x-service-signature", "x-service-signature-next"];
  const changing = ["x-service-timestamp", ...signatures];
  const shown = headers.map((
    { name, value }: { name: string; value: string },
  ) => [name.toLowerCase(), value]);
  const seen = [...message!.headers];
  assert.deepEqual(
    shown.filter(([name]: [string]) => !changing.includes(name)).sort(),
    seen.filter(([name]) => !changing.includes(name)).sort(),
  );
  const values = new Map<string, string>(shown);
  assert.match(values.get("x-service-timestamp")!, /^\d{10}$/);
  assert.ok(!values.has("x-service-signature-next"));
  await api.post(`/api-v1-webhooks/${webhook}/rotate-secret`, { overlap_seconds: 60 });
  const during = (await gestor.get(`${DELIVERIES}/${data[0].id}`)).body.headers;
  const described = during.filter(({ name }: { name: string }) => signatures.includes(name.toLowerCase()));
  assert.deepEqual(described.map(({ name }: { name: string }) => name.toLowerCase()), signatures);
  for (const { value } of described) {
    assert.match(value, /^sha256=</);
    assert.doesNotMatch(value, /[0-9a-f]{64}/);
  }
});

test("Redelivering in the console sends the same delivery again, starts a new series of attempts, and adds a line to the log", async ({ sql, workspace: { id, key }, api }) => {
  const { session, memberId } = await signIn(sql, id, "gestor");
  const gestor = memberClient(session);
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
  const gestor = await manager(sql, id);
  const { id: webhook } = await subscribe(key, openMailbox().url, ["deal.won"]);
  const { body: { delivery_id } } = await gestor.post(`${WEBHOOKS}/${webhook}/test`);
  await waitForDelivery(sql, webhook, ({ state }) => state === "delivered");
  await sql`delete from crm.events where workspace_id = ${id}`;
  for (const path of [`/${delivery_id}`, `/${UNKNOWN_ID}`]) {
    assertError(await gestor.get(`${DELIVERIES}${path}`), "not_found");
  }
  assertError(await gestor.post(`${DELIVERIES}/${delivery_id}/redeliver`), "not_found");
  assert.deepEqual((await gestor.get(`${DELIVERIES}?subscription_id=${webhook}`)).body.data, []);
});

test("app-v1-deliveries lists the deliveries of the workspace or of a webhook, by state, event, since and until, page by page", async ({ sql, workspace: { id, key } }) => {
  const gestor = await manager(sql, id);
  const webhooks: string[] = [];
  for (let n = 0; n < 2; n++) {
    const { id: webhook } = await subscribe(key, openMailbox().url, ["deal.won", "deal.lost"]);
    await sql`update crm.webhook_subscriptions set is_active = ${n === 0} where id = ${webhook}`;
    const states = n === 0 ? ["delivered", "failed"] : ["delivered", "pending"];
    await addDeliveries(sql, id, webhook, {
      count: 12,
      states,
      events: ["deal.won", "deal.won", "deal.lost"],
    });
    webhooks.push(webhook);
  }
  type Row = { id: string; state: string; event: string; occurred_at: string; subscription_id: string };
  const listed = async (query: string) => {
    const rows: Row[] = [];
    for (let cursor = "";;) {
      const { body } = await gestor.get(`${DELIVERIES}?limit=5${query}${cursor}`);
      rows.push(...body.data);
      if (!body.meta.has_more) return rows;
      cursor = `&cursor=${body.meta.next_cursor}`;
    }
  };
  const all = await listed("");
  assert.deepEqual(all.map(({ id }) => id), all.map(({ id }) => id).toSorted().reverse());
  assert.equal(new Set(all.map(({ id }) => id)).size, 24);
  const filters: [string, (row: Row) => boolean][] = [
    ["&state=delivered", ({ state }) => state === "delivered"],
    ["&state=failed", ({ state }) => state === "failed"],
    ["&state=held", ({ state }) => state === "held"],
    ["&event=deal.lost&state=held", ({ state, event }) => state === "held" && event === "deal.lost"],
    [
      `&subscription_id=${webhooks[0]}&state=failed`,
      (row) => row.state === "failed" && row.subscription_id === webhooks[0],
    ],
    [`&since=${all[6]!.occurred_at}`, (row) => row.occurred_at >= all[6]!.occurred_at],
    [`&until=${all[6]!.occurred_at}`, (row) => row.occurred_at < all[6]!.occurred_at],
    [`&subscription_id=${webhooks[1]}`, (row) => row.subscription_id === webhooks[1]],
  ];
  for (const [query, fits] of filters) {
    const wanted = all.filter(fits);
    assert.ok(wanted.length > 0);
    assert.deepEqual(await listed(query), wanted, query);
  }
  assert.deepEqual(await listed("&state=pending"), []);
  assert.deepEqual(await listed("&since=2199-01-01"), []);
});
