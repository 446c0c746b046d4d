// Tests of the partition jobs. tests/sql/partitions runs them on Postgres 17, tests/postgres15 on 15.
import assert from "node:assert/strict";
import type { ISql, Sql } from "postgres";
import { connect } from "../../bench/harness/world.ts";
import { makeWorkspace } from "./fixtures.ts";
import { daysOf, dropAll, emit, makeSubscriber, manage, sleepFor, TABLES } from "./partitions.ts";

const NOTHING = { made: 0, moved: "0", dropped: 0, hindrance: null };

type Run = (database: { sql: Sql; url: string; superuserUrl: string }) => Promise<void>;

/** How many rows the default partition of a table has. */
async function countDefault(sql: ISql, table: string): Promise<number> {
  const [row] = await sql.unsafe<[{ n: number }]>(`select count(*)::int as n from ${table}_default`);
  return row.n;
}

/** Inserts an event, its delivery and an attempt, all dated some days ago. */
async function emitAgo(
  sql: ISql,
  { workspaceId, subscriptionId }: { workspaceId: string; subscriptionId: string },
  days: number,
): Promise<void> {
  await sql`
    with event as (
      insert into crm.events (workspace_id, id, event, object_id, facts)
      values (
        ${workspaceId}, crm.uuid_v7(now() - ${days} * interval '1 day'), 'contact.created', gen_random_uuid(), '{}'
      )
      returning id
    ), delivery as (
      insert into crm.webhook_deliveries (workspace_id, id, event_id, subscription_id)
      select ${workspaceId}, crm.delivery_id(id, ${subscriptionId}), id, ${subscriptionId} from event
      returning id
    )
    insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, status, duration_ms)
    select ${workspaceId}, id, 1, 1, 503, 5 from delivery`;
}

/** Each test first drops the partitions of TABLES that earlier tests left; the last test uses another table. */
export const PARTITION_CHECKS: { name: string; run: Run }[] = [];

const test = (name: string, run: Run) => PARTITION_CHECKS.push({ name, run });

test("the partitions from today to a week ahead are made once, with a comment and with their table's isolation and owner", async ({ sql, superuserUrl }) => {
  await dropAll(sql);
  // The new partitions belong to the owner of their table, even if a superuser runs the job.
  await using admin = connect(superuserUrl);
  for (const table of TABLES) assert.deepEqual(await manage(admin, table), { ...NOTHING, made: 8 });
  for (const table of TABLES) {
    assert.deepEqual(await manage(sql, table), NOTHING);
    const rows = await sql`
      select p.day::text,
        p.day - (now() at time zone 'UTC')::date as ahead,
        pg_get_userbyid(c.relowner) as owner,
        c.relacl,
        c.relrowsecurity and c.relforcerowsecurity as isolated,
        obj_description(c.oid) as comment,
        array(
          select (l.polname, l.polroles, pg_get_expr(l.polqual, c.oid), pg_get_expr(l.polwithcheck, c.oid))::text
          from pg_policy l where l.polrelid = c.oid
        ) = array(
          select (l.polname, l.polroles, pg_get_expr(l.polqual, ${table}::text::regclass),
            pg_get_expr(l.polwithcheck, ${table}::text::regclass))::text
          from pg_policy l where l.polrelid = ${table}::text::regclass
        ) as same_policy,
        (select count(*)::int from pg_index i where i.indrelid = c.oid)
          = (select count(*)::int from pg_index i where i.indrelid = ${table}::text::regclass) as same_indexes
      from crm.partitions_of(${table}::text::regclass) p join pg_class c on c.oid = p.partition`;
    const expected = Array.from({ length: 8 }, (_, ahead) => ({
      day: rows[ahead]!["day"],
      ahead,
      owner: "postgres",
      relacl: null,
      isolated: true,
      comment: `The rows of ${table} of ${rows[ahead]!["day"]} (UTC).`,
      same_policy: true,
      same_indexes: true,
    }));
    assert.deepEqual(rows.map((row) => ({ ...row })), expected);
  }
});

test("after 40 days without jobs a database keeps 90 days of events and 30 days of the rest, each row once and in the partition of its day", async ({ sql }) => {
  await sleepFor(sql, 40);
  const subscriber = await makeSubscriber(sql);
  for (const days of [91.1, 39, 35, 31.1, 20, 20, 3]) await emitAgo(sql, subscriber, days);
  for (let n = 0; n < 5; n++) await emit(sql, subscriber.workspaceId);
  const kept = async () =>
    await sql`
      select e.id as event, d.id as delivery, q.state,
        (select count(*)::int from crm.webhook_attempts a where a.delivery_id = d.id) as attempts
      from crm.events e
      full join crm.webhook_deliveries d on d.event_id = e.id
      full join crm.webhook_queue q on q.delivery_id = d.id
      where coalesce(e.id, d.id, q.delivery_id) >= crm.uuid_v7_floor(now() - interval '30 days')
      order by 1`;
  const before = await kept();
  assert.equal(before.length, 8);

  for (const table of TABLES) {
    const { made, moved, dropped, hindrance } = await manage(sql, table);
    const isEvents = table === "crm.events";
    // One for today, seven for the week ahead, and one for each day whose rows in the default partition must be kept.
    assert.deepEqual({ made, moved, dropped, hindrance }, {
      made: isEvents ? 11 : 10,
      moved: { "crm.events": "9", "crm.webhook_deliveries": "8", "crm.webhook_attempts": "3" }[table],
      dropped: isEvents ? 0 : 8,
      hindrance: null,
    });
    assert.equal(await countDefault(sql, table), 0);
    assert.deepEqual(await manage(sql, table), NOTHING);
  }
  assert.deepEqual(await kept(), before);
  for (const table of TABLES) {
    const key = table === "crm.webhook_attempts" ? "delivery_id" : "id";
    const elsewhere = await sql.unsafe(`
      select from ${table} r
      where r.tableoid <> (
        select p.partition from crm.partitions_of('${table}') p
        where p.day = (crm.uuid_v7_time(r.${key}) at time zone 'UTC')::date
      ) or r.${key} < crm.uuid_v7_floor(now() - make_interval(days => crm.kept_days('${table}') + 1))`);
    assert.equal(elsewhere.length, 0);
  }
  const orphans = await sql`
    select from crm.webhook_queue q
    where not exists (select from crm.webhook_deliveries d where d.id = q.delivery_id)`;
  assert.equal(orphans.length, 0);
});

test("moving rows fires no trigger, so the queue stays as it was", async ({ sql }) => {
  await sleepFor(sql, 40);
  const { workspaceId } = await makeSubscriber(sql);
  for (let n = 0; n < 3; n++) await emit(sql, workspaceId);
  const [claimed] = await sql`select lease_token from crm.delivery_claim(1)`;
  const queue = () => sql`select * from crm.webhook_queue order by delivery_id`;
  const before = await queue();
  assert.equal((await manage(sql, "crm.webhook_deliveries")).moved, "3");
  assert.deepEqual(await queue(), before);
  assert.equal(before.filter(({ lease_token }) => lease_token === claimed!["lease_token"]).length, 1);
  // The new partition has the update trigger.
  await sql`update crm.webhook_deliveries set state = 'delivered'`;
  assert.deepEqual([...await queue()], []);
});

test("days begin and end in UTC, whatever the time zone of the session, and each day's rows are kept for 30 days after the day", async ({ sql, url }) => {
  for (const zone of ["Pacific/Auckland", "America/Sao_Paulo"]) {
    await using session = connect(url);
    await session.unsafe(`set time zone '${zone}'`);
    await dropAll(sql);
    const at = (now: string) => manage(session, "crm.webhook_attempts", `'${now}+00'`);
    assert.equal((await at("2026-03-01 23:59:59.999")).made, 8);
    const days = await daysOf(session, "crm.webhook_attempts");
    assert.deepEqual([days[0], days.at(-1)], ["2026-03-01", "2026-03-08"]);
    assert.deepEqual(await at("2026-03-02 00:00"), { ...NOTHING, made: 1 });

    for (const moment of ["2026-03-01 23:59:59.999", "2026-03-02 00:00"]) {
      await session`
        insert into crm.webhook_attempts (workspace_id, delivery_id, series, number, duration_ms)
        values (gen_random_uuid(), crm.uuid_v7(${moment + "+00"}::text::timestamptz), 1, 1, 5)`;
    }
    const places = await session`
      select tableoid::regclass::text as place from crm.webhook_attempts order by delivery_id`;
    assert.deepEqual(places.map(({ place }) => place), [
      "crm.webhook_attempts_2026_03_01",
      "crm.webhook_attempts_2026_03_02",
    ]);

    assert.equal((await at("2026-03-31 23:59:59.999")).dropped, 0);
    assert.equal((await at("2026-04-01 00:00")).dropped, 1);
    assert.equal((await daysOf(session, "crm.webhook_attempts"))[0], "2026-03-02");
  }
});

test("after months without a run, each run drops at most ten days, the oldest first, and the first run makes today's partition", async ({ sql }) => {
  await dropAll(sql);
  const table = "crm.events";
  for (const ago of [150, 142, 134]) await manage(sql, table, `now() - interval '${ago} days'`);
  const old = await daysOf(sql, table);
  assert.equal(old.length, 24);
  assert.deepEqual(await manage(sql, table), { ...NOTHING, made: 8, dropped: 10 });
  assert.deepEqual((await daysOf(sql, table)).slice(0, 14), old.slice(10));
  assert.deepEqual(await manage(sql, table), { ...NOTHING, dropped: 10 });
  assert.deepEqual(await manage(sql, table), { ...NOTHING, dropped: 4 });
});

test("a run waits 200 ms for a table in use and then gives up, and the next run does the work", async ({ sql, url }) => {
  await sleepFor(sql, 40);
  const { workspaceId } = await makeSubscriber(sql);
  await using other = connect(url);
  await other.begin(async (other) => {
    await emit(other, workspaceId);
    for (const table of TABLES.slice(0, 2)) {
      const started = performance.now();
      const { hindrance, ...done } = await manage(sql, table);
      assert.deepEqual(done, { made: 0, moved: "0", dropped: 0 });
      assert.match(hindrance!, /lock timeout/);
      const waited = performance.now() - started;
      assert.ok(waited >= 200 && waited < 2_000, `${waited} ms`);
    }
    // The job has released its lock, so the writer continues.
    await emit(other, workspaceId);
  });
  for (const table of TABLES.slice(0, 2)) {
    const dropped = table === "crm.events" ? 0 : 8;
    assert.deepEqual(await manage(sql, table), { ...NOTHING, made: 8, moved: "2", dropped });
  }
});

test("a run skips an old partition that VACUUM has locked and gives up on a locked default partition; the next run does the work", async ({ sql, url }) => {
  await sleepFor(sql, 100);
  const [oldest] = await daysOf(sql, "crm.events");
  await using other = connect(url);
  await other.begin(async (other) => {
    // Takes the same lock as VACUUM.
    await other.unsafe(
      `lock table crm.events_${oldest!.replaceAll("-", "_")} in share update exclusive mode`,
    );
    const { hindrance, ...done } = await manage(sql, "crm.events");
    assert.deepEqual(done, { made: 8, moved: "0", dropped: 7 });
    assert.match(hindrance!, /could not obtain lock/);
  });
  assert.deepEqual(await manage(sql, "crm.events"), { ...NOTHING, dropped: 1 });

  await sleepFor(sql, 100);
  await other.begin(async (other) => {
    await other`lock table crm.events_default in share update exclusive mode`;
    const { hindrance, ...done } = await manage(sql, "crm.events");
    assert.deepEqual(done, { made: 0, moved: "0", dropped: 0 });
    assert.match(hindrance!, /lock timeout/);
  });
  assert.deepEqual(await manage(sql, "crm.events"), { ...NOTHING, made: 8, dropped: 8 });
});

test("a default partition with more rows than may be moved keeps them, and its old rows are deleted in batches", async ({ sql }) => {
  await sleepFor(sql, 120);
  const subscriber = await makeSubscriber(sql);
  for (let n = 0; n < 6; n++) await emit(sql, subscriber.workspaceId);
  for (let n = 0; n < 3; n++) await emitAgo(sql, subscriber, 100);
  const run = () => manage(sql, "crm.events", "now()", 2);
  for (const left of [7, 6, 6]) {
    const { hindrance, made, moved } = await run();
    assert.deepEqual({ made, moved }, { made: 0, moved: "0" });
    assert.match(hindrance!, /crm.events_default has too many rows/);
    assert.equal(await countDefault(sql, "crm.events"), left);
  }
  assert.deepEqual(await manage(sql, "crm.events", "now()", 6), { ...NOTHING, made: 8, moved: "6" });
});

test("requests are dropped with the partition of their day once that day is more than 7 days ago", async ({ sql }) => {
  const { id: workspaceId } = await makeWorkspace(sql);
  for (const days of [0, 6, 8, 20]) {
    await manage(sql, "crm.requests", `now() - interval '${days} days'`);
    await sql`
      insert into crm.requests (workspace_id, key_id, id, method, path, status, request_id, duration_ms)
      values (
        ${workspaceId}, gen_random_uuid(), crm.uuid_v7(now() - ${days} * interval '1 day'), 'GET', '/', 200,
        gen_random_uuid(), ${days}
      )`;
  }
  let dropped = 0;
  for (let run = 0; run < 3; run++) dropped += (await manage(sql, "crm.requests")).dropped;
  assert.ok(dropped >= 9, `${dropped} partitions were dropped`);
  const rows = await sql<{ days: number }[]>`
    select duration_ms as days from crm.requests where workspace_id = ${workspaceId} order by 1`;
  assert.deepEqual(rows.map(({ days }) => days), [0, 6]);
  assert.equal(await countDefault(sql, "crm.requests"), 0);
});
