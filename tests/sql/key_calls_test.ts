// The rate limit's row counts a key's calls; a job moves the counts to crm.key_calls, by hour.
import assert from "node:assert/strict";
import type { Sql, TransactionSql } from "postgres";
import { operate } from "../../run/operator/operator.ts";
import { call as send, client, memberClient } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { runJob } from "../support/jobs.ts";
import { passMidnight } from "../support/midnight.ts";
import { makeProposal } from "../support/proposals.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";
import { openDatabase } from "../support/stack.ts";

const PIPELINES = "/api-v1-pipelines";

async function call(key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) assert.equal((await client(key).get(PIPELINES)).status, 200);
}

/** Runs the job, after the stack's own run if that is in progress: a second run at the same time would do nothing. */
async function drain(sql: Sql | TransactionSql): Promise<void> {
  await sql`select pg_advisory_xact_lock(crm.lock_number('drain calls')), crm.drain_calls()`;
}

async function moved(sql: Sql, keyId: string): Promise<{ hour: string; calls: number }[]> {
  const rows = await sql<{ hour: Date; calls: number }[]>`
    select hour, calls::integer from crm.key_calls where key_id = ${keyId} order by hour`;
  return rows.map(({ hour, calls }) => ({ hour: hour.toISOString(), calls }));
}

async function show(sql: Sql, workspace_id: string, id: string) {
  return await operate(sql, "key_get", { workspace_id, id });
}

const sum = (rows: { calls: number }[]) => rows.reduce((total, { calls }) => total + calls, 0);

test("a call is counted at once, and the job neither loses a call nor counts a call twice", async ({ sql, workspace }) => {
  await passMidnight();
  const { id, key } = await makeKey(sql, workspace.id);
  for (const [more, total] of [[3, 3], [0, 3], [2, 5]] as const) {
    await call(key, more);
    const before = await show(sql, workspace.id, id);
    await drain(sql);
    const after = await show(sql, workspace.id, id);
    for (const shown of [before, after]) {
      assert.equal(shown.calls.total_7_days, total);
      assert.deepEqual([shown.calls.days, shown.days_30, shown.hours].map(sum), [total, total, total]);
    }
    assert.equal(sum(await moved(sql, id)), total);
    assert.equal(after.last_used_at, before.last_used_at);
  }
  const { hours, days_30: days, calls } = await show(sql, workspace.id, id);
  const now = new Date().toISOString();
  assert.deepEqual([hours.length, days.length, calls.days.length], [48, 30, 7]);
  // A new hour may have begun during the test.
  assert.ok(hours.slice(-2).some(({ hour, calls }) => calls > 0 && hour.slice(0, 11) === now.slice(0, 11)));
  assert.deepEqual(hours.map(({ hour }) => hour), hours.map(({ hour }) => hour).toSorted());
  assert.equal(days.at(-1)!.day, calls.days.at(-1)!.day);
});

test("calls count for the hour in which they were made, across its boundary", async ({ sql, workspace }) => {
  const { id } = await makeKey(sql, workspace.id);
  const [row] = await sql<
    [{ hour: Date }]
  >`select date_bin('1 hour', now(), 'epoch') - interval '1 hour' as hour`;
  const at = (seconds: number) => new Date(row.hour.getTime() + seconds * 1000).toISOString();
  const count = async (hits: string[], calls: number) => {
    await sql`
      insert into crm.rate_limits (key_id, hits, calls) values (${id}, ${hits}::timestamptz[], ${calls})
      on conflict (key_id) do update set hits = excluded.hits, calls = excluded.calls`;
    await drain(sql);
    return await moved(sql, id);
  };
  assert.deepEqual(await count([at(-20), at(-0.001), at(0), at(5)], 4), [
    { hour: at(-3600), calls: 2 },
    { hour: at(0), calls: 2 },
  ]);
  // The rate limit's row still has the earlier times; only the last two calls are new.
  assert.deepEqual(await count([at(-0.001), at(0), at(5), at(6), at(7)], 6), [
    { hour: at(-3600), calls: 2 },
    { hour: at(0), calls: 4 },
  ]);
  // 10 calls are new, but the row has the times of only 2; the other 8 were made before them.
  assert.deepEqual(await count([at(3599), at(3600)], 16), [
    { hour: at(-3600), calls: 2 },
    { hour: at(0), calls: 13 },
    { hour: at(3600), calls: 1 },
  ]);
});

test("two runs at once count a call once, and no call waits for a run", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  await call(key, 2);
  await using other = openDatabase();
  await sql.begin(async (first) => {
    await drain(first);
    const [second] = await other`select crm.drain_calls() as keys`;
    assert.equal(second!["keys"], 0, "the second run leaves the work to the first");
    const began = performance.now();
    await call(key, 1);
    // A call that waited for the run would fail after the lock timeout of 5 s.
    assert.ok(performance.now() - began < 8_000, "the run is not committed, and its key is called");
  });
  await drain(sql);
  assert.equal(sum(await moved(sql, id)), 3);
  assert.equal((await show(sql, workspace.id, id)).calls.total_7_days, 3);
});

test("after a crash that empties the rate limits, the counted calls and the last use are still there", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  await call(key, 4);
  await drain(sql);
  const { last_used_at } = await show(sql, workspace.id, id);
  assert.ok(last_used_at);
  // Empties this unlogged table, as a crash does. By the next run the new counter is higher than the old counter was.
  await sql`delete from crm.rate_limits where key_id = ${id}`;
  assert.equal((await show(sql, workspace.id, id)).last_used_at, last_used_at);
  await call(key, 6);
  assert.equal((await show(sql, workspace.id, id)).calls.total_7_days, 10);
  await drain(sql);
  assert.equal(sum(await moved(sql, id)), 10);
});

test("the rate limits of members and of proposals' links count for no key", async ({ sql, workspace, newDeal }) => {
  const { memberId, session } = await signIn(sql, workspace.id, "admin");
  const { id: proposalId, link } = await makeProposal(sql, (await newDeal()).id);

  await memberClient(session).get("/app-v1-keys");
  await send("GET", link.slice(link.indexOf("/proposals")));
  const ids = [memberId, proposalId];
  const counted = await sql`select from crm.rate_limits where key_id = any (${ids}::uuid[]) and calls > 0`;
  assert.equal(counted.length, 2);
  await drain(sql);
  for (const table of ["key_calls", "key_counters"]) {
    const rows = await sql`select from crm.${sql(table)} where key_id = any (${ids}::uuid[])`;
    assert.equal(rows.length, 0);
  }
});

test("counted calls are purged after 90 days, and idle rate limits after a day, once their calls are moved", async ({ sql, workspace }) => {
  const { id, key } = await makeKey(sql, workspace.id);
  const idle = await makeKey(sql, workspace.id);
  const stranger = crypto.randomUUID();
  await call(key, 1);
  await drain(sql);
  await sql`
    insert into crm.key_calls (workspace_id, key_id, hour, calls)
    select ${workspace.id}, ${id}, date_bin('1 hour', now(), 'epoch') - days * interval '1 day', 7
    from unnest('{89, 91}'::integer[]) days`;
  await runJob(sql, "purge-key-calls");
  assert.deepEqual((await moved(sql, id)).map(({ calls }) => calls), [7, 1]);

  // Locks out the stack's own run, which would move the calls of the idle key.
  await using other = openDatabase();
  await other`select pg_advisory_lock(crm.lock_number('drain calls'))`;
  await sql`
    insert into crm.rate_limits (key_id, hits, calls)
    select id, array[now() - interval '25 hours'], 3 from unnest(${[idle.id, stranger]}::uuid[]) id`;
  const left = async () => {
    await runJob(sql, "purge-rate-limits");
    const rows = await sql<{ key_id: string }[]>`
      select key_id from crm.rate_limits where key_id = any (${[id, idle.id, stranger]}::uuid[])`;
    return rows.map(({ key_id }) => key_id).sort();
  };
  assert.deepEqual(await left(), [id, idle.id].sort());
  await other`select pg_advisory_unlock(crm.lock_number('drain calls'))`;
  await drain(sql);
  assert.deepEqual(await left(), [id]);
  const { last_used_at, calls } = await show(sql, workspace.id, idle.id);
  assert.equal(calls.total_7_days, 3);
  assert.ok(Date.parse(last_used_at!) < Date.now() - 86_400_000);
});
