// When attempts are made (spec 6.5): by the stack's own dispatcher, without a poke from the test.
import assert from "node:assert/strict";
import { makeContacts } from "../support/feed_rows.ts";
import { eventually, openMailbox } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { subscribe } from "../support/webhooks.ts";

const DELIVERIES = 100;

test("Attempts arrive when they are due, not with the schedule's next run, and none early (spec 6.5)", async ({ sql, workspace }) => {
  const mailbox = openMailbox();
  const { id: subscription } = await subscribe(workspace.key, mailbox.url, ["contact.created"]);
  const due = await sql.begin(async (sql) => {
    await makeContacts(sql, workspace, DELIVERIES);
    // Makes it look as if the deliveries had failed once (the first three more often) and most of the wait had passed.
    // Only the stack's schedule wakes the dispatcher, every 10 seconds. The deliveries become due over 10 seconds, so
    // some would arrive 9 seconds late if each waited for the schedule's next run.
    return await sql<{ id: string; next_attempt_at: Date }[]>`
      with waiting as (
        select d.id, row_number() over (order by d.id) as number from crm.webhook_deliveries d
        where d.subscription_id = ${subscription}
      )
      update crm.webhook_deliveries d
      set attempts = case when w.number <= 3 then w.number + 1 else 1 end,
        next_attempt_at = clock_timestamp() + (16 + w.number % 10) * interval '1 s'
      from waiting w where d.id = w.id
      returning d.id, d.next_attempt_at`;
  });
  const messages = await mailbox.waitFor(DELIVERIES, 60);
  const arrivals = new Map(messages.map(({ body, at }) => [body.delivery_id, at]));
  assert.equal(arrivals.size, DELIVERIES);
  const late = due.map(({ id, next_attempt_at }) => (arrivals.get(id)! - next_attempt_at.getTime()) / 1000)
    .sort((a, b) => a - b);
  assert.ok(late[0]! >= 0, `${late[0]} s`);
  assert.ok(late[DELIVERIES / 2]! <= 4, `half of them are ${late[DELIVERIES / 2]} s late`);
  assert.ok(late.at(-1)! < 8, `${late.at(-1)} s late`);
});

test("Each wait is as long as the contract says, or at most 1 % longer (spec 6.5)", async ({ sql }) => {
  for (const [index, seconds] of [30, 5 * 60, 30 * 60, 6 * 60 * 60].entries()) {
    const [row] = await sql`
      select min(extract(epoch from wait))::float8 as least, max(extract(epoch from wait))::float8 as most
      from generate_series(1, 1000) n, lateral (select crm.retry_delay(${index + 1} + 0 * n) as wait) r`;
    assert.ok(row!["least"] >= seconds, `${row!["least"]} s`);
    assert.ok(row!["most"] > seconds * 1.008 && row!["most"] <= seconds * 1.01, `${row!["most"]} s`);
  }
  const [row] = await sql`select crm.retry_delay(5) as wait`;
  assert.equal(row!["wait"], null);
});

test("A suspended workspace sends nothing, and sends what waited when the suspension ends", async ({ sql, workspace }) => {
  const { id, key } = workspace;
  const mailbox = openMailbox("status=500,200");
  const { id: subscription } = await subscribe(key, mailbox.url, ["contact.created"]);
  await makeContacts(sql, workspace, 1);
  await sql`select crm.poke_dispatcher()`;
  await mailbox.waitFor(1);
  const read = () =>
    sql`
    select id, state, attempts, next_attempt_at from crm.webhook_deliveries
    where subscription_id = ${subscription} order by id`;
  await eventually(async () => (await read())[0]!["attempts"] === 1, "the first outcome");

  await sql`update crm.workspaces set suspended = true where id = ${id}`;
  await makeContacts(sql, workspace, 20);
  await sql`
    update crm.webhook_deliveries set next_attempt_at = clock_timestamp() where subscription_id = ${subscription}`;
  const held = await read();
  assert.equal(held.length, 21, "events of that time are kept");
  for (let time = 0; time < 5; time++) {
    // Pokes the dispatcher, as other workspaces would.
    await sql`select pg_notify('webhook_dispatch', '')`;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.equal((await mailbox.messages()).length, 1);
  assert.deepEqual(await read(), held, "no attempt is counted, no time is moved");

  const resumedAt = Date.now();
  await sql`update crm.workspaces set suspended = false where id = ${id}`;
  const messages = (await mailbox.waitFor(22)).slice(1);
  assert.ok(messages[0]!.at - resumedAt < 5_000, "at once, not with the schedule's next run in 10 s");
  await eventually(async () => (await read()).every(({ state }) => state === "delivered"), "all deliveries");
  assert.deepEqual((await read()).map(({ attempts }) => attempts), [2, ...Array(20).fill(1)]);
  const [row] = await sql`select is_active from crm.webhook_subscriptions where id = ${subscription}`;
  assert.equal(row!["is_active"], true);
});
