// The statements of the queue. The rows are not committed, or leased, so that the stack's own dispatcher cannot claim them.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { makeWorkspace } from "../support/fixtures.ts";
import { type Outcome, recordOutcomes } from "../support/outcomes.ts";
import { test } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";

interface Claimed {
  workspace_id: string;
  delivery_id: string;
  lease_token: string;
}

class Rollback extends Error {}

/** Runs in a transaction that is always rolled back. */
async function rolledBack(
  sql: postgres.Sql,
  work: (sql: postgres.TransactionSql) => Promise<void>,
): Promise<void> {
  await sql.begin(async (sql) => {
    await work(sql);
    throw new Rollback();
  }).catch((error) => {
    if (!(error instanceof Rollback)) throw error;
  });
}

async function addSubscription(sql: postgres.ISql, workspaceId: string): Promise<string> {
  const [row] = await sql<[{ id: string }]>`
    insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
    values (${workspaceId}, '{contact.created}', 'https://hooks.example.com/') returning id`;
  await sql`
    insert into crm.webhook_secrets (workspace_id, subscription_id, secret) values (${workspaceId}, ${row.id}, '\\x01')`;
  return row.id;
}

interface Lease {
  /** When the lease ends, from now, as an interval of Postgres. */
  lease?: string;
  token?: number;
  attempts?: number;
}

/** Inserts deliveries of one subscription, each of a different event, that a dispatcher has leased if `lease` is given. */
async function addDeliveries(
  sql: postgres.ISql,
  workspaceId: string,
  subscriptionId: string,
  count: number,
  { attempts = 0, lease, token = 1 }: Lease = {},
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with event as (
      insert into crm.events (workspace_id, event, object_id, facts)
      select ${workspaceId}, 'contact.created', gen_random_uuid(), '{}' from generate_series(1, ${count}::int)
      returning workspace_id, id
    )
    insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id, attempts)
    select workspace_id, crm.delivery_id(id, ${subscriptionId}), id, ${subscriptionId}, ${attempts}
    from event returning id`;
  const ids = rows.map(({ id }) => id);
  if (lease !== undefined) await leaseDeliveries(sql, ids, lease, token);
  return ids;
}

/** Leases deliveries as a claim does. */
async function leaseDeliveries(
  sql: postgres.ISql,
  ids: string[],
  lease: string,
  token: number,
): Promise<void> {
  await sql`
    update crm.webhook_queue
    set state = 'leased', lease_until = clock_timestamp() + ${lease}::text::interval, lease_token = ${token}
    where delivery_id in ${sql(ids)}`;
}

const claim = (sql: postgres.ISql, workspaceIds: string[], batch = 1000) =>
  sql<Claimed[]>`select * from crm.delivery_claim(${batch}) where workspace_id in ${sql(workspaceIds)}`;

test("A claim gives a subscription 4 places and a workspace 8, counting those in flight", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    const subscriptions = [
      await addSubscription(sql, id),
      await addSubscription(sql, id),
      await addSubscription(sql, id),
    ];
    for (const subscription of subscriptions) await addDeliveries(sql, id, subscription, 6);
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

test("A claim skips deliveries that are not due, leased, ended, or of an inactive subscription", async ({ sql, workspace: { id } }) => {
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

/** What the queue had when Postgres last took its statistics, which plans are made from until it takes them again. */
const QUEUES_OF_STATISTICS: { [queue: string]: (sql: postgres.ISql, id: string) => Promise<unknown> } = {
  "was empty": () => Promise.resolve(),
  "had one that was ready": async (sql, id) => addDeliveries(sql, id, await addSubscription(sql, id), 1),
  "had 45, most of them in flight": async (sql, id) => {
    const subscription = await addSubscription(sql, id);
    await addDeliveries(sql, id, subscription, 5);
    await addDeliveries(sql, id, subscription, 40, { lease: "1 hour" });
  },
};

for (const [queue, fillQueue] of Object.entries(QUEUES_OF_STATISTICS)) {
  Deno.test(`A claim reads none of 2,000 deliveries that are held, cancelled or not due yet, planned when the queue ${queue}`, async () => {
    await using database = openDatabase();
    const [{ id }, other] = [await makeWorkspace(database), await makeWorkspace(database)];
    // A new session, because pg_stat counts scans of earlier transactions of a session together with those of this one.
    await using session = openDatabase();
    await rolledBack(session, async (sql) => {
      const [held, deleted, retried, active] = [
        await addSubscription(sql, id),
        await addSubscription(sql, id),
        await addSubscription(sql, id),
        await addSubscription(sql, id),
      ];
      await fillQueue(sql, other.id);
      await sql`analyze crm.webhook_queue`;
      await sql`delete from crm.webhook_queue where workspace_id = ${other.id}`;
      for (const subscription of [held, deleted, retried]) await addDeliveries(sql, id, subscription, 700);
      await sql`update crm.webhook_subscriptions set is_active = false where id = ${held}`;
      await sql`
        update crm.webhook_subscriptions set is_active = false, deactivated_reason = 'deleted' where id = ${deleted}`;
      await sql`
        update crm.webhook_deliveries set next_attempt_at = now() + interval '6 h' where subscription_id = ${retried}`;
      // The first claims put aside what the changes above have left.
      while ((await sql`select from crm.webhook_unsettled`).length > 0) await claim(sql, [id]);
      const fetched = async () => {
        const [row] = await sql<[{ rows: number }]>`
          select (seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_xact_user_tables
          where relid = 'crm.webhook_queue'::regclass`;
        return row.rows;
      };
      const reads: number[] = [];
      // Several times, because a claim may also work on what earlier tests have left.
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

Deno.test("A dispatcher that lost its lease records nothing, 1,000 times of 1,000", async () => {
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
  const outcome = {
    workspace_id: id,
    delivery_id: delivery!,
    lease_token: 1,
    status: 500,
    reason: "http_500",
  };
  assert.equal((await recordOutcomes(sql, [outcome]))[0]!.attempt, 1);
  assert.deepEqual(await recordOutcomes(sql, [outcome]), []);
  const [row] = await sql`select failure_count from crm.webhook_subscriptions where id = ${subscription}`;
  assert.equal(row!["failure_count"], 1);
});

test("A dispatcher that held a delivery before it was redelivered records nothing on the new series", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    const [delivery] = await addDeliveries(sql, id, await addSubscription(sql, id), 1, {
      lease: "1 hour",
      token: 1,
    });
    const record = async (lease_token: string | number) =>
      (await recordOutcomes(sql, [{ workspace_id: id, delivery_id: delivery!, lease_token, status: 200 }]))
        .map(({ attempt }) => attempt);
    await sql`select crm.redeliver(${id}, ${delivery!})`;
    assert.deepEqual(await record(1), [1], "a delivery in flight stays with its holder");
    await sql`select crm.redeliver(${id}, ${delivery!})`;
    assert.deepEqual(await record(1), []);
    const [claimed] = await claim(sql, [id]);
    assert.deepEqual(await record(1), []);
    assert.deepEqual(await record(claimed!.lease_token), [1]);
    const series = await sql`
      select series, number from crm.webhook_attempts where delivery_id = ${delivery!} order by series`;
    assert.deepEqual(series.map((row) => [row["series"], row["number"]]), [[1, 1], [2, 1]]);
  });
});

Deno.test("16 reactivations while outcomes are recorded: no deadlock, and every waiting delivery is due", async () => {
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

Deno.test("16 fifth failures at the same time deactivate the subscription exactly once (spec 3, 6.5)", async () => {
  await using sql = openDatabase(16);
  const { id } = await makeWorkspace(sql);
  const subscription = await addSubscription(sql, id);
  const deliveries = await addDeliveries(sql, id, subscription, 16, {
    attempts: 4,
    lease: "1 hour",
    token: 1,
  });
  const recorded = await Promise.all(
    deliveries.map((delivery) =>
      recordOutcomes(sql, [
        { workspace_id: id, delivery_id: delivery, lease_token: 1, reason: "timeout_connect" },
      ])
    ),
  );
  assert.equal(recorded.filter(([row]) => row!.deactivated).length, 1);
  assert.ok(recorded.every(([row]) => row!.state === "failed" && row!.attempt === 5));
});

test("Outcomes that are recorded together count in the order in which they ended", async ({ sql, workspace: { id } }) => {
  await rolledBack(sql, async (sql) => {
    const orders = { "the failure last": [200, 503], "the success last": [503, 200] };
    for (const [name, statuses] of Object.entries(orders)) {
      const subscription = await addSubscription(sql, id);
      const [first, second] = await addDeliveries(sql, id, subscription, 2, { lease: "1 hour", token: 1 });
      const [lost] = await addDeliveries(sql, id, subscription, 1, { lease: "1 hour", token: 2 });
      // Not in the order of their ids, in which they are locked.
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
      const failures = statuses[1] === 503 ? 1 : 0;
      assert.deepEqual(
        { ...row },
        { failure_count: failures, has_succeeded: true, has_failed: true },
        name,
      );
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

Deno.test("16 groups of outcomes of the same subscriptions at the same time: no deadlock, and each outcome counts", async () => {
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

test("An event whose body cannot be built does not prevent the others from being claimed", async ({ sql, workspace: { id } }) => {
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
