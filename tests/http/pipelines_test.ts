// On a direct connection to the database, short reads share connections (decision 5).
import assert from "node:assert/strict";
// @ts-types="@types/pg"
import type pg from "pg";
import type { Sql } from "postgres";
import { startCountingProxy } from "../../bench/harness/counting_proxy.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { type Forward, forwardWhile, type Proxy, startProxy } from "../../bench/harness/proxy.ts";
import { eventually } from "../../bench/harness/waiting.ts";
import { Pipelines } from "../../supabase/functions/_shared/postgres/pipelines.ts";
import { makeWorkspace, type TestWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl, openDatabase } from "../support/stack.ts";

/** How many connections an isolate's pool has, and how many more the isolate has for short reads. */
const [POOL, PIPELINES] = [2, 2];

const forward: Forward = (from, to) => from.readable.pipeTo(to.writable);

/** Starts an isolate that knows the keys of new workspaces and has opened all its connections. */
async function startIsolate(sql: Sql, proxy: Proxy, keys: number, isDirect = true) {
  const server = await startServer({
    DATABASE_URL: proxy.url,
    DATABASE_POOL_SIZE: String(POOL),
    DATABASE_PREPARE: String(isDirect),
  });
  const workspaces = await Promise.all(Array.from({ length: keys }, () => makeWorkspace(sql)));
  async function read(key: string) {
    const reply = await fetch(`${server.baseUrl}/api-v1-pipelines`, { headers: { "X-API-Key": key } });
    await reply.body?.cancel();
    const [, left = ""] = /r=(\d+)/.exec(reply.headers.get("RateLimit") ?? "") ?? [];
    return { status: reply.status, left: Number(left) };
  }
  const readAll = () => Promise.all(workspaces.map(({ key }) => read(key)));
  await eventually(async () => {
    await readAll();
    return proxy.countConnections() === POOL + (isDirect ? PIPELINES : 0);
  }, "all connections to be open");
  await readAll();
  return { ...server, workspaces, read, readAll };
}

test("short reads on direct connections are sent without waiting for the replies to earlier reads", async ({ sql }) => {
  for (const isDirect of [true, false]) {
    await using proxy = startCountingProxy(functionsDatabaseUrl);
    await using isolate = await startIsolate(sql, proxy, 16, isDirect);
    const readAll = async () => {
      for (const { status } of await isolate.readAll()) assert.equal(status, 200);
      return proxy.mostUnanswered() > 1;
    };
    if (isDirect) await eventually(readAll, "a read to be sent before the reply to another");
    else for (let time = 0; time < 10; time++) assert.equal(await readAll(), false);
  }
});

test("a read that waits for a lock does not delay another key's read, and is counted once", async ({ sql }) => {
  await using holder = openDatabase();
  await using proxy = startProxy(functionsDatabaseUrl, forward);
  await using isolate = await startIsolate(sql, proxy, 3);
  const [first, second, victim] = isolate.workspaces as [TestWorkspace, TestWorkspace, TestWorkspace];
  const { left } = await isolate.read(first.key);
  await holder`begin`;
  await holder`
    update crm.rate_limits set calls = calls
    where key_id in (select id from crm.api_keys where workspace_id = any (${[first.id, second.id]}))`;
  let answered = 0;
  const stuck = [first, second].map(({ key }) => isolate.read(key));
  for (const call of stuck) call.then(() => answered++, () => {});
  // Each stuck read blocks a connection for short reads and then, after the lock timeout, a connection of the pool.
  await eventually(async () => {
    const waiting = await sql`
      select from pg_stat_activity where usename = 'crm_functions' and wait_event_type = 'Lock'`;
    return waiting.length === 2;
  }, "two reads to wait");
  for (let i = 0; i < 10; i++) assert.equal((await isolate.read(victim.key)).status, 200);
  assert.equal(answered, 0);
  await holder`rollback`;
  assert.deepEqual((await Promise.all(stuck)).map(({ status }) => status), [200, 200]);
  assert.equal((await isolate.read(first.key)).left, left - 2);
});

test("reads whose connection is lost before the reply are sent again on another connection", async ({ sql }) => {
  /** A reply waits for this promise. If it resolves to true, the reply is lost with its connection. */
  let lost = Promise.resolve(false);
  const loseReplies: Forward = (from, to) => forwardWhile(from, to, async () => !await lost);
  await using proxy = startProxy(functionsDatabaseUrl, forward, loseReplies);
  await using isolate = await startIsolate(sql, proxy, 2);
  const ids = isolate.workspaces.map(({ id }) => id);
  async function countCalls(): Promise<number> {
    const [row] = await sql`
      select sum(calls)::int as n from crm.rate_limits r
      join crm.api_keys k on k.id = r.key_id where k.workspace_id = any (${ids})`;
    return row!["n"];
  }
  /** Sends both reads, and closes their connections when Postgres has run them. Returns the statuses. */
  async function readAndLose(): Promise<number[]> {
    await isolate.readAll();
    const before = await countCalls();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    lost = promise;
    let isAnswered = false;
    const reads = isolate.readAll().finally(() => isAnswered = true);
    // Also ends when both reads are answered: a read on a connection that an earlier round closed fails and never runs.
    await eventually(
      async () => isAnswered || await countCalls() >= before + 2,
      "Postgres to run both reads",
    );
    lost = Promise.resolve(false);
    resolve(true);
    return (await reads).map(({ status }) => status);
  }
  // Tries again: a read that finds no open pipeline goes through the pool, which does not repeat it.
  await eventually(
    async () => (await readAndLose()).every((status) => status === 200),
    "both to be answered",
  );
});

Deno.test("A shared connection that cannot be opened is given up once the reads that wait for it have failed", async () => {
  // An idle connection that dies while the pool hands it out is replaced, and the replacement may fail.
  const gone = new Error("gone");
  const counts = { idleCount: 1, waitingCount: 0, totalCount: 2 };
  const pool = Object.assign(counts, { connect: () => Promise.reject(gone) });
  const pipelines = new Pipelines(pool as unknown as pg.Pool);
  const read = () => pipelines.run({ text: "select 1" }, (reply) => reply);
  const first = read();
  counts.idleCount = 0;
  for (const { reason } of await Promise.allSettled([first, read()]) as PromiseRejectedResult[]) {
    assert.equal(reason, gone);
  }
  assert.equal(await read(), undefined);
});
