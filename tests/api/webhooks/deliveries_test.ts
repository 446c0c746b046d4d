import assert from "node:assert/strict";
import { assertError, client } from "../../support/client.ts";
import { eventually, openMailbox } from "../../support/mailbox.ts";
import { readPages } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";
import { signIn } from "../../support/sessions.ts";
import { addDeliveries, letTimePass, subscribe, waitForDelivery, WEBHOOKS } from "../../support/webhooks.ts";

const LEADS = "/api-v1-leads";

interface Listed {
  id: string;
  event: string;
  state: string;
  occurred_at: string;
  next_attempt_at: string | null;
}

const pagesOf = async (api: ReturnType<typeof client>, path: string): Promise<Listed[][]> =>
  (await readPages(api, path)).map(({ body }) => body.data);

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

test("A key lists the deliveries of a subscription, and a member those of the workspace: each once, newest event first, filtered by state, event, since and until", async ({ sql, workspace: { id, key }, api }) => {
  const { client: vendedor } = await signIn(sql, id, "vendedor");
  const subscriptions: string[] = [];
  for (const states of [["delivered", "failed"], ["pending", "delivered", "failed", "cancelled"]]) {
    const { id: subscription } = await subscribe(key, openMailbox().url, ["deal.won", "deal.lost"]);
    // The subscription is inactive, so its pending deliveries are held.
    await sql`update crm.webhook_subscriptions set is_active = false where id = ${subscription}`;
    await addDeliveries(sql, id, subscription, {
      count: 20,
      states,
      events: ["deal.won", "deal.lost", "deal.won"],
    });
    subscriptions.push(subscription);
  }
  const [, second] = subscriptions;
  for (
    const [people, list, listed] of [
      [api, `${WEBHOOKS}/${second}/deliveries`, [second]],
      [vendedor, "/app-v1-deliveries", subscriptions],
    ] as const
  ) {
    const stored = await sql`
      select id from crm.webhook_deliveries where subscription_id = any (${[
      ...listed,
    ] as string[]}) order by id desc`;
    const all = (await pagesOf(people, `${list}?limit=7`)).flat();
    assert.deepEqual(all.map(({ id }) => id), stored.map(({ id }) => id));
    assert.ok(all.every(({ state, next_attempt_at }) => state !== "held" || next_attempt_at === null));
    const [early, late] = [all[14]!.occurred_at, all[5]!.occurred_at];
    const filters: [query: string, fits: (row: Listed) => boolean][] = [
      ["state=delivered", ({ state }) => state === "delivered"],
      ["state=failed", ({ state }) => state === "failed"],
      ["state=cancelled", ({ state }) => state === "cancelled"],
      ["state=held", ({ state }) => state === "held"],
      ["event=deal.lost", ({ event }) => event === "deal.lost"],
      ["event=deal.lost&state=failed", ({ event, state }) => event === "deal.lost" && state === "failed"],
      [`since=${early}`, ({ occurred_at }) => occurred_at >= early],
      [`until=${late}`, ({ occurred_at }) => occurred_at < late],
      [`until=${late}&state=failed`, (row) => row.occurred_at < late && row.state === "failed"],
      [`until=${late}&event=deal.lost`, (row) => row.occurred_at < late && row.event === "deal.lost"],
      [`since=${early}&until=${late}`, (row) => row.occurred_at >= early && row.occurred_at < late],
    ];
    for (const [query, fits] of filters) {
      const expected = all.filter(fits);
      assert.ok(expected.length > 0, query);
      assert.deepEqual((await pagesOf(people, `${list}?limit=3&${query}`)).flat(), expected, query);
    }
    assert.deepEqual((await people.get(`${list}?state=pending`)).body.data, []);
    assert.equal((await people.get(`${list}?limit=1000`)).body.data.length, all.length);
    for (const wrong of ["state=lost", "event=deal.eaten", "since=yesterday", "until=tomorrow", "limit=0"]) {
      assertError(await people.get(`${list}?${wrong}`), "validation_error", [wrong.split("=")[0]!]);
    }
    assertError(await people.get(`${list}?updated_since=2026-01-01`), "validation_error");
    assertError(await people.get(`${list}?cursor=x`), "invalid_cursor");
  }
  const idsOf = (pages: Listed[][]) => pages.flat().map(({ id }) => id);
  assert.deepEqual(
    idsOf(await pagesOf(vendedor, `/app-v1-deliveries?limit=7&subscription_id=${second}`)),
    idsOf(await pagesOf(api, `${WEBHOOKS}/${second}/deliveries?limit=7`)),
  );
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

test("A plan made while there were few events still looks each event up by its index among thousands", async ({ sql, workspace, api }) => {
  const { id } = await subscribe(workspace.key, openMailbox().url, ["deal.won"]);
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
  // In a partition that no other test uses.
  const secondsAgo = 9 * 86_400;
  const day = new Date(Date.now() - secondsAgo * 1000).toISOString().slice(0, 10);
  const partition = `crm.events_${day.replaceAll("-", "_")}`;
  await sql`select crm.make_partition('crm.events', ${day}) where to_regclass(${partition}) is null`;
  const add = (count: number) =>
    addDeliveries(sql, workspace.id, id, { count, states: ["delivered"], events: ["deal.won"], secondsAgo });
  const list = async () => (await api.get(`${WEBHOOKS}/${id}/deliveries?event=deal.lost`)).status;
  const read = async () => {
    const [row] = await sql<[{ looked_up: number; scanned: number }]>`
      select idx_scan::float8 as looked_up, seq_tup_read::float8 as scanned
      from pg_stat_user_tables where relid = ${partition}::regclass`;
    return row;
  };
  await add(3);
  await sql.unsafe(`analyze ${partition}`);
  // Each connection of the function makes its plan.
  for (let call = 0; call < 12; call++) assert.equal(await list(), 200);
  await add(10_100);
  const before = await read();
  // A connection reports what it has read at most once a second.
  const after = await eventually(async () => {
    assert.equal(await list(), 200);
    const now = await read();
    return now.looked_up + now.scanned > before.looked_up + before.scanned + 2_500 && now;
  }, "the reads to be counted");
  // A scan of the events for each of 2,500 deliveries reads 25 million rows.
  assert.ok(after.scanned - before.scanned < 1_000_000, `${after.scanned - before.scanned} rows scanned`);
});

for (const caller of ["A key", "A member"]) {
  test(`${caller} sends a delivery again as a new series of attempts, and repeated calls add no attempt while one is in progress (spec 7)`, async ({ sql, workspace, api }) => {
    const { client: gestor, memberId } = await signIn(sql, workspace.id, "gestor");
    const mailbox = openMailbox("delay=400");
    const { id } = await subscribe(workspace.key, mailbox.url, ["contact.created"]);
    await api.post(LEADS, { first_name: "Ana" });
    const { id: delivery } = await waitForDelivery(sql, id, ({ state }) => state === "delivered");
    const redeliver = () =>
      caller === "A key"
        ? api.post(`${WEBHOOKS}/${id}/deliveries/${delivery}/redeliver`)
        : gestor.post(`/app-v1-deliveries/${delivery}/redeliver`);
    for (let n = 0; n < 3; n++) {
      const { status, body } = await redeliver();
      assert.deepEqual([status, body.id, body.state, body.held], [200, delivery, "pending", false]);
    }
    await waitForDelivery(sql, id, ({ state }) => state === "delivered");
    const messages = await mailbox.waitFor(2);
    assert.deepEqual(messages.map(({ body }) => body.delivery_id), [delivery, delivery]);
    const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries/${delivery}`);
    assert.deepEqual(body.attempts_made.map(({ series }: { series: number }) => series), [1, 2]);

    await sql`update crm.webhook_subscriptions set is_active = false where id = ${id}`;
    assertError(await redeliver(), "subscription_inactive");
    if (caller === "A key") return;
    const { action, actor, object, details } = (await gestor.get("/app-v1-activity?limit=1")).body.data[0];
    assert.deepEqual([action, actor], ["delivery_redelivered", { id: memberId, name: "Membro" }]);
    assert.deepEqual(object, { type: "delivery", id: delivery, name: "contact.created" });
    assert.deepEqual(details, { subscription_id: id });
  });
}

test("A delivery can be read and sent again only through its own subscription", async ({ sql, workspace: { id, key }, api }) => {
  const [mine, sibling] = await Promise.all([1, 2].map(async () => {
    const subscription = (await subscribe(key, openMailbox().url, ["deal.won"])).id;
    const options = { count: 1, states: ["delivered"], events: ["deal.won"] };
    return { subscription, delivery: (await addDeliveries(sql, id, subscription, options))[0] };
  }));
  const path = `${WEBHOOKS}/${mine!.subscription}/deliveries`;
  assert.equal((await api.get(`${path}/${mine!.delivery}`)).status, 200);
  assertError(await api.get(`${path}/${sibling!.delivery}`), "not_found");
  assertError(await api.post(`${path}/${sibling!.delivery}/redeliver`), "not_found");
});
