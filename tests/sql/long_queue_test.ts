// A long queue and many calls at once must change neither the times of attempts nor the limits of a workspace.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { addDeliveries, claim, type Claimed, recordOutcomes } from "../support/queue.ts";
import { rolledBack } from "../support/transactions.ts";
import { test } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";

/** Adds inactive subscriptions. */
async function addSubscriptions(sql: postgres.ISql, workspaceId: string, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with subscription as (
      insert into crm.webhook_subscriptions (workspace_id, event_types, target_url, is_active)
      select ${workspaceId}, '{contact.created}', 'https://hooks.example.com/', false
      from generate_series(1, ${count}::int)
      returning workspace_id, id
    )
    insert into crm.webhook_secrets (workspace_id, subscription_id, secret)
    select workspace_id, id, '\\x01' from subscription returning subscription_id as id`;
  return rows.map(({ id }) => id);
}

/** Records the same outcome for each claimed delivery. */
async function recordAll(
  sql: postgres.ISql,
  claimed: Claimed[],
  outcome: { status: number; reason?: string },
) {
  await recordOutcomes(
    sql,
    claimed.map(({ workspace_id, delivery_id, lease_token }) => {
      return { workspace_id, delivery_id, lease_token, ...outcome };
    }),
  );
}

test("After a reactivation with a long queue a delivery that fails again waits as usual", async ({ sql, workspace: { id } }) => {
  // The transaction is rolled back, so that the stack's own dispatcher sends nothing.
  await rolledBack(sql, async (sql) => {
    const [subscription] = await addSubscriptions(sql, id, 1) as [string];
    await addDeliveries(sql, id, subscription, 2000);
    await sql`
      update crm.webhook_deliveries set next_attempt_at = now() + interval '1 hour'
      where subscription_id = ${subscription}`;
    await sql`select crm.reactivate_subscription(${id}, ${subscription})`;
    let attempts = 0;
    for (let i = 0; i < 10; i++) {
      const claimed = await claim(sql, [id]);
      attempts += claimed.length;
      await recordAll(sql, claimed, { status: 503, reason: "http_503" });
    }
    const [most] =
      await sql`select max(attempts) as n from crm.webhook_deliveries where workspace_id = ${id}`;
    assert.deepEqual({ attempts, most: most!["n"] }, { attempts: 40, most: 1 });
  });
});

test("If 70 subscriptions are reactivated at the same moment, only 50 become active", async ({ sql, workspace: { id } }) => {
  const subscriptions = await addSubscriptions(sql, id, 70);
  await using many = openDatabase(16);
  const outcomes = await Promise.allSettled(
    subscriptions.map((subscription) => many`select crm.resume_subscription(${id}, ${subscription})`),
  );
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 50);
  const [active] = await sql`
    select count(*)::integer as n from crm.webhook_subscriptions where workspace_id = ${id} and is_active`;
  assert.equal(active!["n"], 50);
});

test("A workspace can run one recovery at a time", async ({ sql, workspace: { id } }) => {
  const [first, second] = await addSubscriptions(sql, id, 2) as [string, string];
  await sql`update crm.webhook_subscriptions set is_active = true where workspace_id = ${id}`;
  await using other = openDatabase();
  const recover = (sql: postgres.ISql, subscription: string) =>
    sql`select crm.recover_deliveries(${id}, ${subscription}, now() - interval '1 hour', null)`;
  await sql.begin(async (sql) => {
    await recover(sql, first);
    await other`set lock_timeout = '100ms'`;
    await assert.rejects(recover(other, second), { code: "55P03" });
  });
  await other`set lock_timeout = '5s'`;
  await recover(other, second);
});

test("64 workspaces with many older events for a host do not block a workspace with newer events for that host", async ({ sql }) => {
  await rolledBack(sql, async (sql) => {
    await sql`select from crm.webhook_shards for update`;
    const [{ ids }] = await sql<[{ ids: string[] }]>`
      with workspace as (insert into crm.workspaces (name) select 'Fila' from generate_series(1, 65) returning id)
      select array_agg(id) as ids from workspace`;
    const victim = ids.pop();
    for (const id of [...ids, victim!]) {
      const [subscription] = await addSubscriptions(sql, id, 1) as [string];
      await sql`update crm.webhook_subscriptions set is_active = true where id = ${subscription}`;
      await sql`select crm.emit(${id}, 'contact.created', gen_random_uuid()) from generate_series(1, 20)`;
    }
    let taken = 0;
    for (let i = 0; i < 12; i++) {
      const claimed = await sql<Claimed[]>`select * from crm.delivery_claim(64)`;
      taken += claimed.filter(({ workspace_id }) => workspace_id === victim).length;
      await recordAll(sql, claimed, { status: 200 });
    }
    assert.ok(taken >= 4, `${taken} of 12 rounds`);
  });
});

test("Lifting a suspension waits for a claim of the same shard, so that they never deadlock", async ({ sql, workspace: { id } }) => {
  await sql`update crm.workspaces set suspended = true where id = ${id}`;
  await using other = openDatabase();
  await other`set lock_timeout = '100ms'`;
  const resume = () => other`update crm.workspaces set suspended = false where id = ${id}`;
  await sql.begin(async (sql) => {
    await sql`select from crm.webhook_shards for update`;
    await assert.rejects(resume(), { code: "55P03" });
  });
  await other`set lock_timeout = '5s'`;
  await resume();
});
