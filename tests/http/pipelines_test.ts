// On a direct connection to the database, short reads share connections (decision 5).
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { startDelayProxy } from "../../bench/harness/delay_proxy.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { startProxy } from "../../bench/harness/proxy.ts";
import { eventually } from "../../bench/harness/waiting.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl, openDatabase } from "../support/stack.ts";

const EACH_WAY_MS = 25;

type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

/** Starts an isolate, and workspaces whose keys it knows. */
async function startIsolate(sql: Sql, databaseUrl: string, keys: number, prepare = true) {
  const server = await startServer({
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: "2",
    DATABASE_PREPARE: String(prepare),
  });
  const workspaces = await Promise.all(Array.from({ length: keys }, () => makeWorkspace(sql)));
  async function read(key: string) {
    const reply = await fetch(`${server.baseUrl}/api-v1-pipelines`, { headers: { "X-API-Key": key } });
    await reply.body?.cancel();
    const [, left = ""] = /r=(\d+)/.exec(reply.headers.get("RateLimit") ?? "") ?? [];
    return { status: reply.status, left: Number(left) };
  }
  const isolate = {
    ...server,
    workspaces,
    readAll: () => Promise.all(workspaces.map(({ key }) => read(key))),
    read,
  };
  // The first reads make the keys known, the next ones open the connections.
  for (let time = 0; time < 3; time++) await isolate.readAll();
  return isolate;
}

test("short reads on one connection are sent without waiting for the replies to earlier reads", async ({ sql }) => {
  await using proxy = startDelayProxy(functionsDatabaseUrl, EACH_WAY_MS);
  const seconds: number[] = [];
  for (const prepare of [true, false]) {
    await using isolate = await startIsolate(sql, proxy.url, 24, prepare);
    const started = performance.now();
    const replies = await isolate.readAll();
    seconds.push((performance.now() - started) / 1_000);
    assert.ok(replies.every(({ status }) => status === 200));
  }
  // If each of the two connections carried one read at a time, 24 reads would take 12 round trips of 50 ms.
  const [together, apart] = seconds as [number, number];
  assert.ok(
    together < apart / 2,
    `${together.toFixed(2)} s together, ${apart.toFixed(2)} s one after the other`,
  );
});

test("a read that waits for a lock delays no other key's read, and is counted once", async ({ sql }) => {
  await using holder = openDatabase();
  await using isolate = await startIsolate(sql, functionsDatabaseUrl, 3);
  const [first, second, victim] = isolate.workspaces as [Workspace, Workspace, Workspace];
  const ids = [first.id, second.id];
  const { left } = await isolate.read(first.key);
  await holder`begin`;
  await holder`
    update crm.rate_limits set calls = calls
    where key_id in (select id from crm.api_keys where workspace_id = any (${ids}))`;
  let answered = 0;
  const stuck = [first, second].map(({ key }) => isolate.read(key));
  for (const call of stuck) call.then(() => answered++, () => {});
  // Both pipelines are blocked now, or the stuck reads have already moved to the pool.
  await eventually(async () => {
    const [row] = await sql`
      select count(*)::int as n from pg_stat_activity where usename = 'crm_functions' and wait_event_type = 'Lock'`;
    return row!["n"] === 2;
  }, "two reads to wait");
  for (let i = 0; i < 10; i++) assert.equal((await isolate.read(victim.key)).status, 200);
  assert.equal(answered, 0);
  await holder`rollback`;
  assert.deepEqual((await Promise.all(stuck)).map(({ status }) => status), [200, 200]);
  assert.equal((await isolate.read(first.key)).left, left - 2);
});

test("reads whose connection is lost before the reply are sent again on another", async ({ sql }) => {
  let replies = Promise.resolve();
  await using proxy = startProxy(
    functionsDatabaseUrl,
    (from, to) => from.readable.pipeTo(to.writable),
    async (from, to) => {
      const writer = to.writable.getWriter();
      for await (const chunk of from.readable) {
        await replies;
        await writer.write(chunk);
      }
      await writer.close();
    },
  );
  await using isolate = await startIsolate(sql, proxy.url, 2);
  const ids = isolate.workspaces.map(({ id }) => id);
  const countCalls = async () => {
    const [row] = await sql`
      select sum(calls)::int as n from crm.rate_limits r
      join crm.api_keys k on k.id = r.key_id where k.workspace_id = any (${ids})`;
    return row!["n"];
  };
  const before = await countCalls();
  const { promise, resolve } = Promise.withResolvers<void>();
  replies = promise;
  const reads = isolate.readAll();
  await eventually(async () => await countCalls() === before + 2, "Postgres to run both reads");
  proxy.closeConnections();
  resolve();
  assert.deepEqual((await reads).map(({ status }) => status), [200, 200]);
});
