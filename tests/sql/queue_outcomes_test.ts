// How outcomes of attempts are recorded. The stack's own dispatcher cannot claim the rows here, because they are
// uncommitted or leased.
import assert from "node:assert/strict";
import { makeWorkspace } from "../support/fixtures.ts";
import {
  addDeliveries,
  addSubscription,
  claim,
  leaseDeliveries,
  type Outcome,
  recordOutcomes,
} from "../support/queue.ts";
import { rolledBack } from "../support/transactions.ts";
import { test } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";

Deno.test("A dispatcher that lost its lease records nothing, in 1,000 of 1,000 cases", async () => {
  await using sql = openDatabase(16);
  const { id } = await makeWorkspace(sql);
  const subscription = await addSubscription(sql, id);
  const deliveries = await addDeliveries(sql, id, subscription, 1000, { lease: "1 hour", token: 2 });
  const recorded = await Promise.all(
    deliveries.map((delivery) =>
      recordOutcomes(sql, [{ workspace_id: id, delivery_id: delivery, lease_token: 1, status: 200 }])
    ),
  );
  assert.deepEqual(recorded.flat(), []);
  const [row] = await sql`
    select count(*)::integer as untouched from crm.webhook_deliveries d
    join crm.webhook_queue q on q.delivery_id = d.id
    where d.subscription_id = ${subscription} and d.state = 'pending' and attempts = 0 and q.state = 'leased'`;
  assert.equal(row!["untouched"], 1000);
});

test("An outcome that is recorded twice counts once", async ({ sql, workspace: { id } }) => {
  const subscription = await addSubscription(sql, id);
  const [delivery] = await addDeliveries(sql, id, subscription, 1, { lease: "1 hour", token: 1 });
  const attempt = { workspace_id: id, delivery_id: delivery!, lease_token: 1 };
  const outcome = { ...attempt, status: 500, reason: "http_500" };
  assert.equal((await recordOutcomes(sql, [outcome]))[0]!.attempt, 1);
  assert.deepEqual(await recordOutcomes(sql, [outcome]), []);
  const [row] = await sql`select failure_count from crm.webhook_subscriptions where id = ${subscription}`;
  assert.equal(row!["failure_count"], 1);
});

test("A dispatcher that held a delivery before it was redelivered records nothing on the new series", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    const subscription = await addSubscription(sql, id);
    // Any claim gives a higher token, so this lease counts as lost after a claim.
    const [delivery] = await addDeliveries(sql, id, subscription, 1, { lease: "1 hour", token: 0 });
    const record = async (lease_token: string | number) =>
      (await recordOutcomes(sql, [{ workspace_id: id, delivery_id: delivery!, lease_token, status: 200 }]))
        .map(({ attempt }) => attempt);
    await sql`select crm.redeliver(${id}, ${subscription}, array[${delivery!}::uuid])`;
    assert.deepEqual(await record(0), [1], "a delivery in flight stays with its holder");
    await sql`select crm.redeliver(${id}, ${subscription}, array[${delivery!}::uuid])`;
    assert.deepEqual(await record(0), []);
    const [claimed] = await claim(sql, [id]);
    assert.deepEqual(await record(0), []);
    assert.deepEqual(await record(claimed!.lease_token), [1]);
    const series = await sql`
      select series, number from crm.webhook_attempts where delivery_id = ${delivery!} order by series`;
    assert.deepEqual(series.map((row) => [row["series"], row["number"]]), [[1, 1], [2, 1]]);
  });
});

Deno.test("16 reactivations while outcomes are recorded cause no deadlock, and make every waiting delivery due", async () => {
  await using sql = openDatabase(16);
  const { id } = await makeWorkspace(sql);
  const subscription = await addSubscription(sql, id);
  const held = await addDeliveries(sql, id, subscription, 16, { lease: "1 hour", token: 1 });
  const waiting = await addDeliveries(sql, id, subscription, 16);
  for (let round = 0; round < 4; round++) {
    await sql`
      update crm.webhook_deliveries set next_attempt_at = clock_timestamp() + interval '1 hour'
      where id in ${sql(waiting)}`;
    await sql`update crm.webhook_deliveries set attempts = 0, series = ${round + 1} where id in ${sql(held)}`;
    await leaseDeliveries(sql, held, "1 hour", 1);
    await sql`update crm.webhook_subscriptions set is_active = false where id = ${subscription}`;
    await Promise.all(held.flatMap((delivery) => [
      sql`select crm.reactivate_subscription(${id}, ${subscription})`,
      recordOutcomes(sql, [
        { workspace_id: id, delivery_id: delivery, lease_token: 1, status: 500, reason: "http_500" },
      ]),
    ]));
    const [row] = await sql`
      select count(*)::integer as due from crm.webhook_deliveries
      where id in ${sql(waiting)} and next_attempt_at <= clock_timestamp()`;
    assert.equal(row!["due"], waiting.length);
  }
  // The stack's own dispatcher must not attempt these deliveries.
  await sql`update crm.webhook_subscriptions set is_active = false where id = ${subscription}`;
});

test("Outcomes that are recorded together count in the order in which they ended", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    const orders = { "the failure last": [200, 503], "the success last": [503, 200] };
    for (const [name, statuses] of Object.entries(orders)) {
      const subscription = await addSubscription(sql, id);
      const [first, second] = await addDeliveries(sql, id, subscription, 2, { lease: "1 hour", token: 1 });
      const [lost] = await addDeliveries(sql, id, subscription, 1, { lease: "1 hour", token: 2 });
      // The outcomes come in another order than the ids, by which the function locks the deliveries.
      const recorded = await recordOutcomes(
        sql,
        [second!, first!, lost!].map((delivery_id, index) => ({
          workspace_id: id,
          delivery_id,
          lease_token: 1,
          status: statuses[index] ?? 200,
          ...(statuses[index] === 503 && { reason: "http_503" }),
        })),
      );
      assert.equal(recorded.length, 2, "a lost lease does not keep others from being recorded");
      const [row] = await sql`
        select failure_count, last_success_at is not null as has_succeeded, last_failure_at is not null as has_failed
        from crm.webhook_subscriptions where id = ${subscription}`;
      const failure_count = statuses[1] === 503 ? 1 : 0;
      assert.deepEqual({ ...row }, { failure_count, has_succeeded: true, has_failed: true }, name);
      const states = await sql`
        select d.state, q.state as queued from crm.webhook_deliveries d
        left join crm.webhook_queue q on q.workspace_id = d.workspace_id and q.delivery_id = d.id
        where d.subscription_id = ${subscription} order by 1, 2`;
      assert.deepEqual(states.map((row) => [row["state"], row["queued"]]), [
        ["delivered", null],
        ["pending", "leased"],
        ["pending", "waiting"],
      ]);
    }
  });
});

Deno.test("16 simultaneous groups of outcomes for the same subscriptions cause no deadlock, each counts, and a fifth failure deactivates once (spec 3, 6.5)", async () => {
  await using sql = openDatabase(16);
  const { id } = await makeWorkspace(sql);
  const groups: Outcome[][] = Array.from({ length: 16 }, () => []);
  for (let made = 0; made < 8; made++) {
    const subscription = await addSubscription(sql, id);
    const deliveries = await addDeliveries(sql, id, subscription, 16, {
      attempts: made % 2 === 0 ? 4 : 0,
      lease: "1 hour",
      token: made,
    });
    deliveries.forEach((delivery_id, index) =>
      groups[index]!.push({ workspace_id: id, delivery_id, lease_token: made, reason: "timeout_response" })
    );
  }
  const recorded = await Promise.all(
    groups.map((group, index) => recordOutcomes(sql, index % 2 === 0 ? group : group.toReversed())),
  );
  assert.equal(recorded.flat().length, 128);
  assert.equal(recorded.flat().filter(({ deactivated }) => deactivated).length, 4);
  const counts = await sql`
    select failure_count from crm.webhook_subscriptions where workspace_id = ${id} and failure_count > 0`;
  assert.deepEqual(counts.map((row) => row["failure_count"]), Array(8).fill(16));
  // The stack's own dispatcher must not attempt these deliveries.
  await sql`update crm.webhook_subscriptions set is_active = false where workspace_id = ${id}`;
});
