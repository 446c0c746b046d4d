// A workspace uses at most half of an isolate's connections, however many keys and sessions it has, known or not.
import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { startCountingProxy } from "../../bench/harness/counting_proxy.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { eventually } from "../../bench/harness/waiting.ts";
import { connect } from "../../bench/harness/world.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { makeDeal, makeKey, makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { accessTokens, signIn } from "../support/sessions.ts";
import { functionsDatabaseUrl, openDatabase } from "../support/stack.ts";

const CONNECTIONS = 4;
const SUPABASE_JWKS = JSON.stringify(accessTokens.jwks);

/** Serves the functions from a new isolate, which knows no key or session. */
async function startIsolate(databaseUrl = functionsDatabaseUrl) {
  const server = await startServer({
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    SUPABASE_JWKS,
  });
  return {
    ...server,
    /** Calls the API, and returns the status, Retry-After and the remaining calls of the rate limit. */
    async send(headers: Record<string, string>, path = "/api-v1-pipelines") {
      const reply = await fetch(server.baseUrl + path, { headers });
      await reply.body?.cancel();
      const [, left = ""] = /r=(\d+)/.exec(reply.headers.get("RateLimit") ?? "") ?? [];
      return { status: reply.status, left: Number(left), retryAfter: reply.headers.get("Retry-After") };
    },
  };
}
type Isolate = Awaited<ReturnType<typeof startIsolate>>;

function sendMany(isolate: Isolate, keys: string[], calls: number) {
  const sent = Array.from({ length: calls }, (_, i) => isolate.send({ "X-API-Key": keys[i % keys.length]! }));
  // If the test fails, the isolate stops before the calls end; their errors do not matter.
  for (const call of sent) call.catch(() => {});
  return sent;
}

/** Locks the rate limits of the workspaces' keys in a transaction: their calls wait until it ends. */
async function holdCalls(holder: Sql, ...workspaceIds: string[]) {
  await holder`begin`;
  await holder`
    insert into crm.rate_limits (key_id, hits)
    select id, '{}' from crm.api_keys where workspace_id = any (${workspaceIds})
    on conflict (key_id) do update set calls = excluded.calls`;
}

/**
 * Waits until exactly `expected` calls are stuck, and fails if more are. For a moment there may be fewer. A statement
 * on a shared connection waits at most 250 ms for a lock, and is then sent again on its own connection.
 */
async function seeStuck(sql: Sql, expected: number): Promise<void> {
  await eventually(async () => {
    const stuck = await sql`
      select from pg_stat_activity where usename = 'crm_functions' and wait_event_type = 'Lock'`;
    assert.ok(stuck.length <= expected, `${stuck.length} calls are stuck`);
    return stuck.length === expected;
  }, "calls to be stuck");
}

test("a workspace whose calls are stuck gets at most half of the connections, and 503 in bounded time, however many keys it has", async ({ sql, workspace }) => {
  await using holder = openDatabase();
  await using isolate = await startIsolate();
  const victim = await makeWorkspace(sql);
  const more = [await makeKey(sql, workspace.id), await makeKey(sql, workspace.id)].map(({ key }) => key);
  const keys = [workspace.key, ...more];
  for (const key of [victim.key, workspace.key]) await isolate.send({ "X-API-Key": key });
  // In the first round, an unknown key calls first, in an idle isolate; in the second, a known key does.
  for (const order of [keys.toReversed(), keys]) {
    await holdCalls(holder, workspace.id);
    let answered = 0;
    const started = performance.now();
    const calls = sendMany(isolate, order, 12);
    const seconds = () => (performance.now() - started) / 1_000;
    /** The seconds after which each call was answered. */
    const ended = calls.map((call) => call.then(() => (answered++, seconds()), () => 0));
    await seeStuck(sql, CONNECTIONS / 2);
    for (let i = 0; i < 20; i++) {
      assert.equal((await isolate.send({ "X-API-Key": victim.key })).status, 200);
      await seeStuck(sql, CONNECTIONS / 2);
    }
    assert.equal(answered, 0);
    if (order === keys) await holder`rollback`;
    for (const [index, { status, retryAfter }] of (await Promise.all(calls)).entries()) {
      // A call waits at most 5 s for its workspace's share of the connections. On a busy machine, the victim's calls
      // may take so long that the wait ends before the rollback.
      const isServed = order === keys && (status === 200 || await ended[index]! < 5);
      assert.deepEqual([status, retryAfter], isServed ? [200, null] : [503, "5"]);
    }
    // A call waits at most 5 s for its workspace's share of the connections, 5 s for a connection, and 5 s for the
    // lock.
    assert.ok(seconds() < 20, `${seconds().toFixed(1)} s`);
    if (order !== keys) await holder`rollback`;
  }
});

test("two workspaces whose calls are stuck leave a connection to the others", async ({ sql, workspace }) => {
  await using holder = openDatabase();
  await using isolate = await startIsolate();
  const [accomplice, victim] = [await makeWorkspace(sql), await makeWorkspace(sql)];
  const keys = [workspace.key, accomplice.key];
  for (const key of [victim.key, ...keys]) await isolate.send({ "X-API-Key": key });
  await holdCalls(holder, workspace.id, accomplice.id);
  const calls = sendMany(isolate, keys, 12);
  await seeStuck(sql, CONNECTIONS - 1);
  for (let i = 0; i < 20; i++) {
    assert.equal((await isolate.send({ "X-API-Key": victim.key })).status, 200);
    await seeStuck(sql, CONNECTIONS - 1);
  }
  await holder`rollback`;
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200]));
});

test("a call that is cancelled before it is counted is counted later, before the next call of its key", async ({ sql }) => {
  await using holder = openDatabase();
  await using isolate = await startIsolate();
  const { id, key } = await makeWorkspace(sql, { rateLimit: 120 });
  const headers = { "X-API-Key": key };
  await holdCalls(holder, id);
  const replies = await Promise.all([isolate.send(headers), isolate.send(headers)]);
  assert.deepEqual(replies.map(({ status }) => status), [503, 503]);
  await holder`rollback`;
  // 117 is the limit of 120 minus this call and the two cancelled calls.
  for (const left of [117, 116]) {
    assert.deepEqual(await isolate.send(headers), { status: 200, left, retryAfter: null });
  }
});

test("a verb that takes too long is cancelled and undone, and its call is answered and stays counted", async ({ sql }) => {
  const workspace = await makeWorkspace(sql, { rateLimit: 120 });
  const { contactId } = await makeDeal(workspace.key);
  await using holder = openDatabase();
  await using functions = connect(functionsDatabaseUrl);
  await functions`set statement_timeout = '200ms'`;
  const args = { id: contactId, name: "B" };
  const update = async () => {
    const [row] = await functions`
      select error_code, caller_id, workspace_id, rate_remaining
      from api.call(sha256(${workspace.key}::text::bytea), 'contacts:write', 'contact_update',
        ${functions.json(args)}, null, null)`;
    return row!;
  };
  await holder`begin`;
  await holder`select from crm.contacts where id = ${contactId} for update`;
  for (const left of [118, 117]) {
    const { error_code, caller_id, workspace_id, rate_remaining } = await update();
    assert.deepEqual([error_code, workspace_id, rate_remaining], ["service_unavailable", workspace.id, left]);
    assert.notEqual(caller_id, null);
  }
  await holder`rollback`;
  const [contact] = await sql`select name from crm.contacts where id = ${contactId}`;
  assert.notEqual(contact!["name"], "B");
  assert.equal((await update())["rate_remaining"], 116);
});

test("a session is recognized whatever the case of its ids, and a caller's first call is one statement", async ({ sql, workspace }) => {
  await using holder = openDatabase();
  await using proxy = startCountingProxy(functionsDatabaseUrl);
  await using isolate = await startIsolate(proxy.url);
  const statementsOf = async (headers: Record<string, string>, status: number, path?: string) => {
    proxy.takeCount();
    assert.equal((await isolate.send(headers, path)).status, status);
    return proxy.takeCount();
  };
  const { session } = await signIn(sql, workspace.id, "vendedor");
  const inWorkspace = (id: string) =>
    statementsOf({ Authorization: `Bearer ${session}`, "X-Workspace-Id": id }, 200, "/app-v1-workspace");
  assert.equal(await inWorkspace(workspace.id), 1);
  assert.equal(await statementsOf({ "X-API-Key": workspace.key }, 200), 1);
  assert.equal(await statementsOf({ "X-API-Key": generateKey() }, 401), 1);

  // While another call runs, an unknown caller takes an extra statement, which identifies it.
  const stuck = await makeWorkspace(sql);
  await holdCalls(holder, stuck.id);
  const call = isolate.send({ "X-API-Key": stuck.key });
  await seeStuck(sql, 1);
  assert.equal(await inWorkspace(workspace.id.toUpperCase()), 1);
  assert.equal(await statementsOf({ "X-API-Key": (await makeKey(sql, workspace.id)).key }, 200), 2);
  assert.equal(await statementsOf({ "X-API-Key": generateKey() }, 401), 1);
  await holder`rollback`;
  assert.equal((await call).status, 200);
});
