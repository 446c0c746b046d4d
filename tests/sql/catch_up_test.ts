// While transactions commit, a job catches up for a subscription that is behind: each event gets one delivery.
import assert from "node:assert/strict";
import type { ISql, ReservedSql, Sql } from "postgres";
import { openSql } from "../../run/local/sql.ts";
import { operate } from "../../run/operator/operator.ts";
import { eventually } from "../support/mailbox.ts";
import { startOwnDatabase } from "../support/own_database.ts";

/** A workspace with one subscription. */
interface Place {
  workspace: string;
  subscription: string;
}

async function subscribe(sql: Sql, bound: number): Promise<Place> {
  const { id: workspace } = await operate(sql, "workspace_create", { name: "Teste" });
  await sql`update crm.workspaces set max_waiting_deliveries = ${bound} where id = ${workspace}`;
  const [row] = await sql<[{ id: string }]>`
    insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
    values (${workspace}, '{deal.won}', 'https://hooks.example.com/') returning id`;
  return { workspace, subscription: row.id };
}

/** Emits events as a record's trigger does. */
async function emit(sql: ISql, { workspace }: Place, count = 1): Promise<void> {
  await sql`select crm.emit(${workspace}, 'deal.won', gen_random_uuid()) from generate_series(1, ${count}::integer)`;
}

/** Marks all waiting deliveries as delivered, as if the receiver had answered. */
const deliverAll = (sql: ISql, { workspace }: Place) =>
  sql`
    update crm.webhook_deliveries d set state = 'delivered' where d.workspace_id = ${workspace}
      and d.id = any (array(
        select q.delivery_id from crm.webhook_queue q where q.workspace_id = ${workspace} for update skip locked
      ))`;

const catchUp = (sql: ISql) => sql`select crm.catch_up_subscriptions()`;

async function isBehind(sql: ISql, { subscription }: Place): Promise<boolean> {
  const [row] = await sql<[{ behind: boolean }]>`
    select behind_since is not null as behind from crm.webhook_subscriptions where id = ${subscription}`;
  return row.behind;
}

/** Counts events, deliveries and waiting deliveries. A delivery's id is computed from its event's, so it is unique. */
async function counted(sql: ISql, { workspace }: Place) {
  const [row] = await sql<[{ events: number; deliveries: number; waiting: number }]>`
    select
      (select count(*)::integer from crm.events where workspace_id = ${workspace}) as events,
      (select count(*)::integer from crm.webhook_deliveries where workspace_id = ${workspace}) as deliveries,
      (select count(*)::integer from crm.webhook_queue where workspace_id = ${workspace}) as waiting`;
  return row;
}

/** Catches up and delivers until the subscription is no longer behind. */
async function finish(sql: Sql, place: Place): Promise<void> {
  for (let run = 0; await isBehind(sql, place); run++) {
    assert.ok(run < 200, "still behind after 200 runs");
    await deliverAll(sql, place);
    await catchUp(sql);
  }
}

/** Begins a transaction on a separate connection, and gives it a transaction id as a write would. */
async function begin(pool: Sql): Promise<ReservedSql> {
  const session = await pool.reserve();
  await session`begin`;
  await session`select pg_current_xact_id()`;
  return session;
}

async function end(session: ReservedSql): Promise<void> {
  await session`commit`;
  session.release();
}

Deno.test("Transactions during the catch-up of a subscription lose and repeat no delivery", async (t) => {
  await using database = await startOwnDatabase();
  const { sql } = database;
  const pool = openSql(database.url, { max: 8 });
  const test = (title: string, run: (place: Place) => Promise<void>) =>
    t.step(title, async () => run(await subscribe(sql, 10)));

  try {
    await test("no more deliveries wait than the bound allows, and the job refills the queue up to the bound", async (place) => {
      await emit(sql, place, 100);
      assert.deepEqual(await counted(sql, place), { events: 100, deliveries: 10, waiting: 10 });
      await catchUp(sql);
      assert.equal((await counted(sql, place)).deliveries, 10);
      await deliverAll(sql, place);
      await catchUp(sql);
      assert.deepEqual(await counted(sql, place), { events: 100, deliveries: 20, waiting: 10 });
      await finish(sql, place);
      assert.equal((await counted(sql, place)).deliveries, 100);
      await emit(sql, place, 3);
      assert.equal((await counted(sql, place)).deliveries, 103, "made at once again");
    });

    await test("the events of a transaction that began before the subscription was behind, but emits later, are caught up", async (place) => {
      const old = await begin(pool);
      await emit(sql, place, 30);
      await deliverAll(sql, place);
      await catchUp(sql);
      await emit(old, place);
      await end(old);
      await emit(sql, place, 5);
      await finish(sql, place);
      const { events, deliveries } = await counted(sql, place);
      assert.deepEqual([events, deliveries], [36, 36]);
    });

    await test("a catch-up does not end before the transactions that rely on it for a delivery", async (place) => {
      await emit(sql, place, 12);
      const writer = await begin(pool);
      await emit(writer, place);
      await deliverAll(sql, place);
      await catchUp(sql);
      assert.ok(await isBehind(sql, place));
      await end(writer);
      await finish(sql, place);
      assert.equal((await counted(sql, place)).deliveries, 13);
    });

    await test("a transaction during the end of a catch-up makes its delivery itself, and does not wait", async (place) => {
      await emit(sql, place, 12);
      await deliverAll(sql, place);
      const job = await begin(pool);
      await catchUp(job);
      const writer = await begin(pool);
      await writer`set local lock_timeout = '100ms'`;
      await emit(writer, place);
      await end(job);
      await end(writer);
      assert.equal(await isBehind(sql, place), false);
      const { events, deliveries } = await counted(sql, place);
      assert.deepEqual([events, deliveries], [13, 13]);
    });

    await test("a run that is killed has changed nothing, and the next one makes every delivery once", async (place) => {
      await emit(sql, place, 25);
      await deliverAll(sql, place);
      // This connection is not from the pool. The pool could give a killed connection to another step before it is
      // closed.
      const own = openSql(database.url, { max: 1 });
      const killed = assert.rejects(own`select crm.catch_up_subscriptions(), pg_sleep(60)`.execute());
      await eventually(async () => {
        const [row] = await sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where query like '%pg_sleep(60)%' and wait_event = 'PgSleep'`;
        return row !== undefined;
      }, "a run to kill");
      await killed;
      await own.end({ timeout: 0 });
      assert.equal((await counted(sql, place)).deliveries, 10);
      await finish(sql, place);
      assert.equal((await counted(sql, place)).deliveries, 25);
    });

    await test("events that were rolled back leave the subscription neither behind nor with deliveries to catch up", async (place) => {
      const writer = await begin(pool);
      await emit(writer, place, 30);
      assert.ok(await isBehind(writer, place));
      await writer`rollback`;
      writer.release();
      assert.equal(await isBehind(sql, place), false);
      assert.deepEqual(await counted(sql, place), { events: 0, deliveries: 0, waiting: 0 });
    });

    await test("an event that a recovery has queued is not queued again", async (place) => {
      await emit(sql, place, 25);
      await deliverAll(sql, place);
      await sql`
        select crm.recover_deliveries(${place.workspace}, ${place.subscription}, now() - interval '1 hour', null)`;
      await finish(sql, place);
      const [{ sent }] = await sql<[{ sent: number }]>`
        select sum(series)::integer as sent from crm.webhook_deliveries where workspace_id = ${place.workspace}`;
      assert.equal(sent, 25);
    });

    await test("six writers, a receiver and two jobs at once: each event has one delivery", async (place) => {
      const began = Date.now();
      let committed = 0;
      let wasBehind = 0;
      // On a busy machine the step takes longer than 1.5 s: it waits until enough events were committed.
      const isEnough = () => Date.now() > began + (committed > 50 && wasBehind > 0 ? 1_500 : 60_000);
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        while (!isEnough()) {
          const session = await begin(pool);
          await emit(session, place, 1 + writer);
          // The transactions stay open for different times, so that they end in a different order than they began.
          await session`select pg_sleep(${writer * writer} / 200.0 * random())`;
          if (Math.random() < 0.1) await session`rollback`;
          else {
            await session`commit`;
            committed += 1 + writer;
          }
          session.release();
        }
      });
      const others = [pool, sql].map(async (session) => {
        while (!isEnough()) {
          await deliverAll(session, place);
          await catchUp(session);
          if (await isBehind(session, place)) wasBehind++;
        }
      });
      await Promise.all([...writers, ...others]);
      await finish(sql, place);
      const { events, deliveries } = await counted(sql, place);
      assert.ok(wasBehind > 0 && events > 50, `behind ${wasBehind} times, ${events} events`);
      assert.equal(deliveries, events);
    });
  } finally {
    await pool.end({ timeout: 0 });
  }
});
