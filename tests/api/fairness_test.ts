import assert from "node:assert/strict";
import { startCountingProxy } from "../../lab/harness/counting_proxy.ts";
import { startDelayProxy } from "../../lab/harness/delay_proxy.ts";
import { startServer } from "../../lab/harness/functions.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { randomToken } from "../../supabase/functions/_shared/runtime/random_token.ts";
import { assertError, client } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl, openDatabase } from "../support/stack.ts";

for (const keys of [1, 3]) {
  test(`a workspace whose calls by ${keys} of its keys are stuck gets 503 in bounded time, and does not delay others`, async ({ sql }) => {
    await using holder = openDatabase();
    const [stuck, other] = [await makeWorkspace(sql), await makeWorkspace(sql)];
    const stuckKeys = [stuck.key];
    while (stuckKeys.length < keys) stuckKeys.push((await makeKey(sql, stuck.id)).key);
    for (const key of [...stuckKeys, other.key]) await client(key).get("/api-v1-pipelines");
    await holder`begin`;
    await holder`
      select from crm.rate_limits
      where key_id in (select id from crm.api_keys where workspace_id = ${stuck.id}) for update`;
    const started = performance.now();
    const calls = Array.from(
      { length: 24 },
      (_, i) => client(stuckKeys[i % keys]!).post("/api-v1-contacts", { name: "A" }),
    );
    for (let i = 0; i < 5; i++) {
      const sent = performance.now();
      assert.equal((await client(other.key).get("/api-v1-pipelines")).status, 200);
      assert.ok(performance.now() - sent < 1_000);
    }
    for (const reply of await Promise.all(calls)) {
      assertError(reply, "service_unavailable");
      assert.equal(reply.headers.get("Retry-After"), "5");
    }
    // A call waits at most 5 s for a connection, and then at most 5 s for the lock.
    assert.ok(performance.now() - started < 16_000);
    await holder`rollback`;
    const [made] = await sql`select count(*)::int as n from crm.contacts where workspace_id = ${stuck.id}`;
    assert.equal(made!["n"], 0, "a call that got 503 has changed nothing");
  });
}

/** Returns a function that reads a path, with a key or without, and how long the answer took. */
function timedReads(baseUrl: string) {
  return async (path: string, key?: string) => {
    const started = performance.now();
    const reply = await fetch(baseUrl + path, { headers: key === undefined ? {} : { "X-API-Key": key } });
    await reply.body?.cancel();
    return { status: reply.status, ms: performance.now() - started };
  };
}

test("two hundred callers with random keys and tokens delay neither a known key nor the first call of another", async ({ sql, workspace }) => {
  // Each statement takes 50 ms, so 200 of them on the four connections take 2.5 s.
  await using proxy = startDelayProxy(functionsDatabaseUrl, 25);
  await using server = await startServer({ DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: "4" });
  const get = timedReads(server.baseUrl);
  const pipelines = (key: string) => get("/api-v1-pipelines", key);
  // Opens the connections, and makes the key known.
  await Promise.all(Array.from({ length: 4 }, () => pipelines(workspace.key)));

  const strangers = Array.from({ length: 100 }, () => [
    pipelines(generateKey()),
    get(`/proposals/${randomToken()}`),
  ]).flat();
  // The strangers' calls are in the queue before the first of these.
  await pipelines("malformed");
  const unseen = await makeKey(sql, workspace.id);
  const replies = [
    await pipelines(workspace.key),
    await pipelines(unseen.key),
    await pipelines(workspace.key),
  ];
  assert.deepEqual(replies.map(({ status }) => status), [200, 200, 200]);
  assert.ok(replies.every(({ ms }) => ms < 1_000), JSON.stringify(replies));
  const statuses = new Set((await Promise.all(strangers)).map(({ status }) => status));
  assert.ok([...statuses].every((status) => [401, 404, 503].includes(status)), [...statuses].join());
});

test("replies to strangers are paced at 200 a second, and neither other gates nor known keys wait for them", async ({ workspace }) => {
  await using server = await startServer({ DATABASE_URL: functionsDatabaseUrl });
  const get = timedReads(server.baseUrl);
  await get("/api-v1-pipelines", workspace.key);
  const strangers = Array.from({ length: 450 }, () => get("/api-v1-pipelines", "malformed"));
  // The fiftieth and those before it leave at once.
  await Promise.race(strangers);
  const others = await Promise.all([get("/api-v1-pipelines", workspace.key), get("/api-v1-health")]);
  assert.deepEqual(others.map(({ status }) => status), [200, 200]);
  assert.ok(others.every(({ ms }) => ms < 1_000), JSON.stringify(others));
  const replies = await Promise.all(strangers);
  assert.ok(replies.every(({ status }) => status === 401));
  const slowest = Math.max(...replies.map(({ ms }) => ms));
  assert.ok(slowest > 1_900 && slowest < 5_000, `${Math.round(slowest)} ms`);
});

Deno.test("however often the health check is called, the database gets one query a second", async () => {
  await using proxy = startCountingProxy(functionsDatabaseUrl);
  await using server = await startServer({ DATABASE_URL: proxy.url });
  const check = async () => {
    const reply = await fetch(`${server.baseUrl}/api-v1-health`);
    assert.equal(reply.status, 200);
    await reply.body?.cancel();
  };
  const started = performance.now();
  for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 20 }, check));
  const statements = proxy.takeCount();
  assert.ok(
    statements >= 1 && statements <= 1 + (performance.now() - started) / 1_000,
    `${statements} queries`,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await check();
  assert.equal(proxy.takeCount(), 1);
});
