// Which deliveries a claim takes. The stack's own dispatcher cannot claim the rows here, because they are uncommitted
// or leased.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { countRows } from "../support/blocks.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { addDeliveries, addSubscription, claim, leaseDeliveries } from "../support/queue.ts";
import { rolledBack } from "../support/transactions.ts";
import { test } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";

test("Claims keep at most 4 deliveries of a subscription and 8 of a workspace in flight", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    for (let count = 0; count < 3; count++) await addDeliveries(sql, id, await addSubscription(sql, id), 6);
    assert.equal((await claim(sql, [id])).length, 8);
    assert.equal((await claim(sql, [id])).length, 0);
    const [most] = await sql`
      select max(n)::integer as n from (
        select count(*) as n from crm.webhook_queue
        where workspace_id = ${id} and state = 'leased' group by subscription_id
      ) t`;
    assert.ok(most!["n"] <= 4);
  });
});

test("Workspaces take turns: one with a long queue does not delay another", async ({ sql, workspace: big }) => {
  const small = await makeWorkspace(sql);
  await rolledBack(sql, async (sql) => {
    for (let i = 0; i < 4; i++) await addDeliveries(sql, big.id, await addSubscription(sql, big.id), 50);
    await addDeliveries(sql, small.id, await addSubscription(sql, small.id), 1);
    const claimed = await claim(sql, [big.id, small.id], 4);
    assert.equal(claimed.filter(({ workspace_id }) => workspace_id === small.id).length, 1);
  });
});

test("A claim skips deliveries that are leased, ended, not due yet, or of an inactive subscription", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    const [active, inactive] = [await addSubscription(sql, id), await addSubscription(sql, id)];
    await sql`update crm.webhook_subscriptions set is_active = false where id = ${inactive}`;
    await addDeliveries(sql, id, inactive, 1);
    await addDeliveries(sql, id, active, 1, { lease: "1 minute" });
    const [later, done, due] = await addDeliveries(sql, id, active, 3);
    await sql`update crm.webhook_deliveries set next_attempt_at = clock_timestamp() + interval '1 s' where id = ${later!}`;
    await sql`update crm.webhook_deliveries set state = 'delivered' where id = ${done!}`;
    assert.deepEqual((await claim(sql, [id])).map(({ delivery_id }) => delivery_id), [due]);
  });
});

/** What the queue contains when ANALYZE runs. Until the next ANALYZE, Postgres plans claims with these statistics. */
const QUEUES_OF_STATISTICS: { [queue: string]: (sql: postgres.ISql, id: string) => Promise<unknown> } = {
  "was empty": () => Promise.resolve(),
  "had one ready delivery": async (sql, id) => addDeliveries(sql, id, await addSubscription(sql, id), 1),
  "had 45 deliveries, most of them in flight": async (sql, id) => {
    const subscription = await addSubscription(sql, id);
    await addDeliveries(sql, id, subscription, 5);
    await addDeliveries(sql, id, subscription, 40, { lease: "1 hour" });
  },
};

for (const [queue, fillQueue] of Object.entries(QUEUES_OF_STATISTICS)) {
  Deno.test(`A claim with statistics from when the queue ${queue} reads almost none of 2,100 deliveries that are held, cancelled or not due yet`, async () => {
    await using database = openDatabase();
    const [{ id }, other] = [await makeWorkspace(database), await makeWorkspace(database)];
    // Opens a new session, because in the same session pg_stat would also count the scans of earlier transactions.
    await using session = openDatabase();
    await rolledBack(session, async (sql) => {
      const add = () => addSubscription(sql, id);
      const [held, deleted, retried, active] = [await add(), await add(), await add(), await add()];
      await fillQueue(sql, other.id);
      await sql`analyze crm.webhook_queue`;
      await sql`delete from crm.webhook_queue where workspace_id = ${other.id}`;
      for (const subscription of [held, deleted, retried]) await addDeliveries(sql, id, subscription, 700);
      await sql`update crm.webhook_subscriptions set is_active = false where id = ${held}`;
      await sql`
        update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'deleted' where id = ${deleted}`;
      await sql`
        update crm.webhook_deliveries set next_attempt_at = now() + interval '6 h' where subscription_id = ${retried}`;
      // Claims until crm.webhook_unsettled is empty: claims first hold or cancel the rows of changed subscriptions.
      while ((await sql`select from crm.webhook_unsettled`).length > 0) await claim(sql, [id]);
      const fetched = () => countRows(sql, "webhook_queue");
      const reads: number[] = [];
      // Claims several times, because a claim may also work on rows that earlier tests left.
      for (let time = 0; time < 3; time++) {
        await addDeliveries(sql, id, active, 1);
        const before = await fetched();
        assert.equal((await claim(sql, [id])).length, 1);
        reads.push(await fetched() - before);
      }
      assert.ok(Math.min(...reads) < 100, `${reads} rows read`);
      const states = await sql`
        select d.state, q.state as queued, count(*)::int as n from crm.webhook_deliveries d
        left join crm.webhook_queue q on q.delivery_id = d.id
        where d.workspace_id = ${id} and d.subscription_id <> ${active} group by 1, 2 order by 1, 2`;
      assert.deepEqual(states.map((row) => Object.values(row)), [
        ["cancelled", null, 700],
        ["pending", "held", 700],
        ["pending", "waiting", 700],
      ]);

      await sql`
        update crm.webhook_queue set due_at = now() where delivery_id in (
          select delivery_id from crm.webhook_queue where subscription_id = ${retried} and state = 'waiting' limit 100
        )`;
      const before = await fetched();
      assert.equal((await claim(sql, [id])).length, 4);
      const read = await fetched() - before;
      assert.ok(read < 500, `${read} rows read when 100 have become due`);
    });
  });
}

test("A delivery whose lease has expired is claimed again, with a higher fencing token", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    await addDeliveries(sql, id, await addSubscription(sql, id), 1);
    const [first] = await claim(sql, [id]);
    await leaseDeliveries(sql, [first!.delivery_id], "-1 second", Number(first!.lease_token));
    const [second] = await claim(sql, [id]);
    assert.ok(Number(second!.lease_token) > Number(first!.lease_token));
  });
});

test("An event whose body cannot be built does not keep other events' deliveries from being claimed", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    const [contact] = await sql`
      insert into crm.contacts (workspace_id, name, owner_id)
      select workspace_id, 'Ana', id from crm.members where workspace_id = ${id} limit 1
      returning id`;
    const [broken] = await addDeliveries(sql, id, await addSubscription(sql, id), 2);
    await sql`
      update crm.events set object_id = ${contact!["id"]}, facts = '"no object"'
      where id = (select event_id from crm.webhook_deliveries where id = ${broken!})`;
    const bodies =
      await sql`select delivery_id, body from crm.delivery_claim(1000) where workspace_id = ${id}`;
    assert.equal(bodies.length, 2);
    for (const { delivery_id, body } of bodies) assert.equal(body === null, delivery_id === broken);
  });
});
