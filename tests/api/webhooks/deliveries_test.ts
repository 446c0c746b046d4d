import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, client } from "../../support/client.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import { eventually, openMailbox } from "../../support/mailbox.ts";
import { readPages, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { addDeliveries, letTimePass, subscribe, waitForDelivery, WEBHOOKS } from "../../support/webhooks.ts";

const LEADS = "/api-v1-leads";

interface Listed {
  id: string;
  event: string;
  state: string;
  occurred_at: string;
}

/** The deliveries on each page of a list. */
const pagesOf = async (api: ReturnType<typeof client>, path: string): Promise<Listed[][]> =>
  (await readPages(api, path)).map(({ body }) => body.data);

const idsOf = (sql: Sql, subscription: string, state: string | null = null) =>
  sql<{ id: string }[]>`
    select id from crm.webhook_deliveries
    where subscription_id = ${subscription} and state = coalesce(${state}, state) order by id desc`
    .then((rows) => rows.map(({ id }) => id));

test("GET /api-v1-webhooks/:id/deliveries shows what happened to each event, and GET of a delivery its attempts, body and headers", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox("status=503,204");
  const { id } = await subscribe(key, mailbox.url, ["lead.received"]);
  const { body: { lead } } = await api.post(LEADS, { first_name: "Ana" });
  await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  const list = `${WEBHOOKS}/${id}/deliveries`;
  const { body: { data: [waiting] } } = await api.get(list);
  assert.deepEqual(
    [waiting.state, waiting.attempts, waiting.last_status, waiting.last_reason, waiting.event],
    ["pending", 1, 503, "http_503", "lead.received"],
  );
  assert.deepEqual(
    [waiting.object_type, waiting.object_id, waiting.is_test, waiting.subscription_id, waiting.target_url],
    ["deal", lead.deal_id, false, id, mailbox.url],
  );
  assert.ok(Date.parse(waiting.next_attempt_at) > Date.parse(waiting.last_attempt_at));
  assert.ok(Date.parse(waiting.occurred_at) <= Date.parse(waiting.last_attempt_at));

  await letTimePass(sql, id);
  await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  const { body: { data, meta } } = await api.get(list);
  assert.deepEqual(meta, { next_cursor: null, has_more: false });
  assert.deepEqual([data.length, data[0].state, data[0].next_attempt_at], [1, "delivered", null]);
  const { body: { attempts_made, body, body_as_sent, headers, ...summary } } = await api.get(
    `${list}/${data[0].id}`,
  );
  assert.deepEqual([summary, body_as_sent], [data[0], true]);
  assert.deepEqual(
    attempts_made.map((a: Record<string, unknown>) => [a["series"], a["number"], a["status"], a["reason"]]),
    [[1, 1, 503, "http_503"], [1, 2, 204, null]],
  );
  const [, message] = await mailbox.waitFor(2);
  assert.equal(body, new TextDecoder().decode(message!.raw));
  assert.deepEqual([message!.body.event_id, message!.body.delivery_id], [summary.event_id, summary.id]);
  assert.ok(headers.some(({ name }: { name: string }) => name === "X-Service-Delivery-Id"));
});

test("GET /api-v1-webhooks/:id/deliveries lists each delivery once, newest event first, by state, event, since and until", async ({ sql, workspace, api }) => {
  const { id } = await subscribe(workspace.key, openMailbox().url, ["deal.won", "deal.lost"]);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  const states = ["pending", "delivered", "failed", "cancelled"];
  await addDeliveries(sql, workspace.id, id, {
    count: 40,
    states,
    events: ["deal.won", "deal.lost", "deal.won"],
  });
  const list = `${WEBHOOKS}/${id}/deliveries`;

  const all = (await pagesOf(api, `${list}?limit=7`)).flat();
  assert.deepEqual(all.map(({ id }) => id), await idsOf(sql, id));
  assert.equal((await api.get(`${list}?limit=1000`)).body.data.length, 40);
  for (const state of ["delivered", "failed", "cancelled"]) {
    const listed = (await pagesOf(api, `${list}?state=${state}&limit=3`)).flat();
    assert.deepEqual(listed.map(({ id }) => id), await idsOf(sql, id, state), state);
    assert.ok(listed.length > 0 && listed.every((delivery) => delivery.state === state));
  }
  const lost = (await pagesOf(api, `${list}?event=deal.lost&limit=2`)).flat();
  assert.deepEqual(lost, all.filter(({ event }) => event === "deal.lost"));
  const both = (await pagesOf(api, `${list}?event=deal.lost&state=failed`)).flat();
  assert.deepEqual(both, lost.filter(({ state }) => state === "failed"));
  const { occurred_at } = all[9]!;
  const recent = (await pagesOf(api, `${list}?since=${occurred_at}`)).flat();
  assert.deepEqual(recent, all.slice(0, 10));
  const earlier = all.slice(10);
  const filters: [string, Listed[]][] = [
    ["", earlier],
    ["&state=failed", earlier.filter(({ state }) => state === "failed")],
    ["&event=deal.lost", earlier.filter(({ event }) => event === "deal.lost")],
  ];
  for (const [filter, expected] of filters) {
    const before = (await pagesOf(api, `${list}?until=${occurred_at}&limit=3${filter}`)).flat();
    assert.deepEqual(before, expected, filter);
  }
  const window = await api.get(`${list}?since=${all[19]!.occurred_at}&until=${occurred_at}`);
  assert.deepEqual(window.body.data, all.slice(10, 20));

  for (
    const wrong of [
      "state=lost",
      "event=deal.eaten",
      "since=yesterday",
      "until=tomorrow",
      "limit=0",
      "updated_since=2026-01-01",
    ]
  ) {
    assertError(await api.get(`${list}?${wrong}`), "validation_error");
  }
  assertError(await api.get(`${list}?cursor=x`), "invalid_cursor");
});

test("A pending delivery is shown as held while its subscription is inactive", async ({ sql, workspace, api }) => {
  const { id } = await subscribe(workspace.key, openMailbox("status=500").url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  const { id: delivery } = await waitForDelivery(sql, id, ({ attempts }) => attempts === 1);
  const list = `${WEBHOOKS}/${id}/deliveries`;
  const shown = async () =>
    await Promise.all(["pending", "held"].map(async (state) => {
      const { body } = await api.get(`${list}?state=${state}`);
      return body.data.map((row: Listed & { next_attempt_at: string | null }) => [
        row.id,
        row.state,
        row.next_attempt_at !== null,
      ]);
    }));
  assert.deepEqual(await shown(), [[[delivery, "pending", true]], []]);
  await sql`
    update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'failures' where id = ${id}`;
  assert.deepEqual(await shown(), [[], [[delivery, "held", false]]]);
});

test("A filter that matches none of the thousands of newest deliveries gives an empty page with a cursor, and later pages have every match", async ({ sql, workspace, api }) => {
  const { id } = await subscribe(workspace.key, openMailbox().url, ["deal.won", "deal.lost"]);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  await addDeliveries(sql, workspace.id, id, {
    count: 3,
    states: ["pending"],
    events: ["deal.lost"],
    secondsAgo: 120,
  });
  await addDeliveries(sql, workspace.id, id, { count: 10_100, states: ["delivered"], events: ["deal.won"] });
  const list = `${WEBHOOKS}/${id}/deliveries`;
  for (const [filter, sizes] of [["state=held", [0, 0, 3]], ["event=deal.lost", [0, 0, 0, 0, 3]]] as const) {
    const pages = await pagesOf(api, `${list}?${filter}`);
    assert.deepEqual(pages.map((page) => page.length), sizes, filter);
  }
  // Failed deliveries have their own index, so no page ends early.
  assert.deepEqual((await pagesOf(api, `${list}?state=failed`)).map((page) => page.length), [0]);
});

test("POST …/redeliver sends the same delivery again, and a repeated call adds no attempt while one is in progress (spec 7)", async ({ sql, workspace: { key }, api }) => {
  const mailbox = openMailbox("delay=400");
  const { id } = await subscribe(key, mailbox.url, ["contact.created"]);
  await api.post(LEADS, { first_name: "Ana" });
  const { id: delivery } = await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  const redeliver = `${WEBHOOKS}/${id}/deliveries/${delivery}/redeliver`;
  for (let n = 0; n < 3; n++) {
    const { status, body } = await api.post(redeliver);
    assert.deepEqual([status, body.id, body.state, body.held], [200, delivery, "pending", false]);
  }
  await waitForDelivery(sql, id, ({ state }) => state === "delivered");
  const messages = await mailbox.waitFor(2);
  assert.deepEqual(messages.map(({ body }) => body.delivery_id), [delivery, delivery]);
  const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries/${delivery}`);
  assert.deepEqual(body.attempts_made.map(({ series }: { series: number }) => series), [1, 2]);

  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  assertError(await api.post(redeliver), "subscription_inactive");
});

test("A delivery can be read only through its own subscription", async ({ sql, workspace, api }) => {
  const other = await makeWorkspace(sql);
  const made = await Promise.all([workspace, workspace, other].map(async ({ id, key }) => {
    const subscription = await subscribe(key, openMailbox().url, ["deal.won"]);
    const [delivery] = await addDeliveries(sql, id, subscription.id, {
      count: 1,
      states: ["delivered"],
      events: ["deal.won"],
    });
    return { subscription: subscription.id, delivery: delivery! };
  }));
  const [mine, sibling, theirs] = made as [typeof made[0], typeof made[0], typeof made[0]];
  const read = (subscription: string, delivery: string) =>
    api.get(`${WEBHOOKS}/${subscription}/deliveries/${delivery}`);
  assert.equal((await read(mine.subscription, mine.delivery)).status, 200);
  const unknown = await read(mine.subscription, UNKNOWN_ID);
  assertError(unknown, "not_found");
  for (
    const [subscription, delivery] of [
      [mine.subscription, sibling.delivery],
      [mine.subscription, theirs.delivery],
      [theirs.subscription, theirs.delivery],
      [theirs.subscription, mine.delivery],
    ] as const
  ) {
    assert.equal((await read(subscription, delivery)).text, unknown.text);
    const again = await api.post(`${WEBHOOKS}/${subscription}/deliveries/${delivery}/redeliver`);
    assert.equal(again.text, unknown.text);
  }
  for (const [subscription, delivery] of [[mine.subscription, "x"], ["x", mine.delivery]] as const) {
    assertError(await read(subscription, delivery), "not_found");
  }
  await eventually(async () => {
    const { body } = await client(other.key).get(
      `${WEBHOOKS}/${theirs.subscription}/deliveries/${theirs.delivery}`,
    );
    return body.state === "delivered" && body.attempts_made.length === 0;
  }, "the delivery of the other workspace is unchanged");
});
