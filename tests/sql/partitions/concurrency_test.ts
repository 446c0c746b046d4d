import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { pause } from "../../../bench/harness/waiting.ts";
import { openSql } from "../../../run/local/sql.ts";
import { passMidnight } from "../../support/midnight.ts";
import { recordOutcomes } from "../../support/queue.ts";
import { startOwnDatabase } from "../../support/own_database.ts";
import { makeSubscriber, manage, type Managed, sleepFor, TABLES } from "../../support/partitions.ts";

const ROUNDS = 5;
/** The timeouts of crm_functions: if the job held a lock for longer, a write and its event would fail. */
const SETTINGS = { lock_timeout: 5_000, statement_timeout: 8_000 };

Deno.test("No write, claim, record or read fails, and no row is lost, while partitions are made, filled and dropped", async () => {
  await passMidnight(120);
  await using database = await startOwnDatabase();
  const { sql, url } = database;
  await sleepFor(sql, 100);
  const { workspaceId, subscriptionId } = await makeSubscriber(sql);
  const clients = openSql(url, { max: 8, connection: SETTINGS });
  let running = true;
  let emitted = 0;
  let recorded = 0;

  /** Repeats a transaction until the rounds are over, with pauses for other work on the machine. */
  async function repeat(work: (sql: Sql) => Promise<unknown>): Promise<void> {
    while (running) {
      await work(clients);
      await pause(5);
    }
  }
  async function send(sql: Sql): Promise<void> {
    const claimed = await sql`select delivery_id, lease_token from crm.delivery_claim(10)`;
    for (const { delivery_id, lease_token } of claimed) {
      const outcome = { workspace_id: workspaceId, delivery_id, lease_token, status: 200 };
      const [row] = await recordOutcomes(sql, [outcome]);
      assert.equal(row!.attempt, 1);
      recorded += 1;
    }
  }
  const work = [
    ...Array.from({ length: 3 }, () =>
      repeat(async (sql) => {
        // Writes two events in one transaction, as a lead does. The second uses tables that the first has locked
        // already.
        await sql`
          select crm.emit(${workspaceId}, 'contact.created', gen_random_uuid()) from generate_series(1, 2)`;
        emitted += 2;
      })),
    repeat(send),
    repeat(send),
    repeat((sql) =>
      sql`
        select d.state, e.event, a.status
        from crm.webhook_attempts a
        join crm.webhook_deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id
        join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
        where a.workspace_id = ${workspaceId} order by e.position, e.id limit 50`
    ),
    repeat((sql) =>
      sql`
        select e.id from crm.events e
        where e.workspace_id = ${workspaceId} and e.position < crm.feed_horizon()
        order by e.position, e.id limit 50`
    ),
  ];
  const done: Managed[] = [];
  const rounds = async () => {
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const table of TABLES) {
          await putIntoDefault(sql, table);
          await manage(sql, table, "now() - interval '100 days'");
        }
        for (const table of TABLES) done.push(await manage(sql, table));
      }
    } finally {
      running = false;
    }
  };
  try {
    await Promise.all([rounds(), ...work]);
    // Nothing else uses the tables now, so these runs need not give up.
    for (const table of TABLES) done.push(await manage(sql, table));

    const counted = (field: "made" | "moved" | "dropped") =>
      done.reduce((total, managed) => total + Number(managed[field]), 0);
    // If a run gave up, a later run did its work.
    assert.ok(counted("made") >= ROUNDS && counted("moved") > ROUNDS && counted("dropped") >= ROUNDS);

    const [stored] = await sql`
      select
        (select count(*)::int from crm.events) as events,
        (select count(distinct id)::int from crm.events) as different_events,
        (select count(*)::int from crm.webhook_deliveries) as deliveries,
        (
          select count(*)::int from crm.events e
          join crm.webhook_deliveries d on d.event_id = e.id and d.id = crm.delivery_id(e.id, ${subscriptionId})
        ) as pairs,
        (select count(*)::int from crm.webhook_deliveries where state = 'delivered') as delivered,
        (select count(*)::int from crm.webhook_attempts) as attempts,
        (
          select count(*)::int from crm.webhook_queue q
          join crm.webhook_deliveries d on d.id = q.delivery_id and d.state = 'pending'
        ) as waiting`;
    assert.deepEqual({ ...stored }, {
      events: emitted,
      different_events: emitted,
      deliveries: emitted,
      pairs: emitted,
      delivered: recorded,
      attempts: recorded,
      waiting: emitted - recorded,
    });
    assert.ok(emitted > 100 && recorded > 50, `${emitted} events, ${recorded} attempts`);
    const [{ deadlocks }] = await sql<[{ deadlocks: number }]>`
      select deadlocks::int from pg_stat_database where datname = current_database()`;
    assert.equal(deadlocks, 0);
  } finally {
    running = false;
    await Promise.allSettled(work);
    await clients.end();
  }
});

/** Moves today's rows into the default partition, as if the job had not run for a week. No trigger fires. */
async function putIntoDefault(sql: Sql, table: string): Promise<void> {
  const partitions = await sql<{ name: string }[]>`
    select partition::text as name from crm.partitions_of(${table}::text::regclass)
    where day >= (now() at time zone 'UTC')::date`;
  if (partitions.length === 0) return;
  const [{ columns }] = await sql<[{ columns: string }]>`
    select crm.given_columns(${table}::text::regclass) as columns`;
  await sql.begin(async (sql) => {
    await sql.unsafe(`lock table only ${table} in access exclusive mode`);
    for (const { name } of partitions) {
      await sql.unsafe(`alter table ${table} detach partition ${name}`);
      await sql.unsafe(`insert into ${table}_default (${columns}) select ${columns} from ${name}`);
      await sql.unsafe(`drop table ${name}`);
    }
  });
}
