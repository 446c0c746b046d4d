import assert from "node:assert/strict";
import { startCountingProxy } from "../../bench/harness/counting_proxy.ts";
import { startDelayProxy } from "../../bench/harness/delay_proxy.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { pause } from "../../bench/harness/waiting.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { randomToken } from "../../supabase/functions/_shared/keys/random_token.ts";
import { call } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

const PIPELINES = "/api-v1-pipelines";
const HEALTH = "/api-v1-health";

/** Reads a path of other functions than the shared stack's, with a key or without, and returns the status. */
async function read(base: string, path: string, key: string | null = null): Promise<number> {
  return (await call("GET", path, { base, key })).status;
}

/** Counts the strangers' calls that were answered so far. Unlike a duration, this does not depend on the machine. */
function countAnswers(calls: Promise<number>[]): () => number {
  let answered = 0;
  for (const call of calls) call.then(() => answered++);
  return () => answered;
}

test("two hundred callers with random keys and tokens delay neither a known key nor the first call of another key", async ({ sql, workspace }) => {
  // Each statement takes 50 ms, so 200 of them on the four connections take 2.5 s.
  await using proxy = startDelayProxy(functionsDatabaseUrl, 25);
  await using server = await startServer({ DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: "4" });
  const pipelines = (key: string) => read(server.baseUrl, PIPELINES, key);
  // Opens the connections, and makes the key known to the isolate.
  await Promise.all(Array.from({ length: 4 }, () => pipelines(workspace.key)));

  const strangers = Array.from({ length: 100 }, () => [
    pipelines(generateKey()),
    read(server.baseUrl, `/proposals/${randomToken()}`),
  ]).flat();
  const answered = countAnswers(strangers);
  // When this call is answered, all the strangers' calls are in the queue.
  await pipelines("malformed");
  const unseen = await makeKey(sql, workspace.id);
  const before = answered();
  for (const key of [workspace.key, unseen.key, workspace.key]) assert.equal(await pipelines(key), 200);
  // If these calls had waited behind the strangers, nearly all strangers would have been answered meanwhile.
  assert.ok(answered() - before < 100, `${before} strangers were answered before, ${answered()} after`);
  const statuses = new Set(await Promise.all(strangers));
  assert.ok([...statuses].every((status) => [401, 404, 503].includes(status)), [...statuses].join());
});

test("replies to strangers are paced at 200 a second, and neither other gates nor known keys wait for them", async ({ workspace }) => {
  await using server = await startServer({ DATABASE_URL: functionsDatabaseUrl });
  await read(server.baseUrl, PIPELINES, workspace.key);
  const started = performance.now();
  const strangers = Array.from({ length: 450 }, () => read(server.baseUrl, PIPELINES, "malformed"));
  const answered = countAnswers(strangers);
  // Once a stranger has a reply, the strangers' calls are under way.
  await Promise.race(strangers);
  const others = [read(server.baseUrl, PIPELINES, workspace.key), read(server.baseUrl, HEALTH)];
  assert.deepEqual(await Promise.all(others), [200, 200]);
  const first = answered();
  assert.deepEqual(new Set(await Promise.all(strangers)), new Set([401]));
  const seconds = (performance.now() - started) / 1_000;
  // After the burst of 50, 400 replies are sent at 200 a second.
  assert.ok(seconds > 1.9, `${seconds.toFixed(1)} s`);
  // Other calls may wait for strangers only on a machine that is too slow for this pace: all calls then take over 4 s.
  assert.ok(first < 400 || seconds > 4, `${first} strangers were answered first, in ${seconds.toFixed(1)} s`);
});

Deno.test("however often the health check is called, the database gets one query a second", async () => {
  await using proxy = startCountingProxy(functionsDatabaseUrl);
  await using server = await startServer({ DATABASE_URL: proxy.url });
  const check = async () => assert.equal(await read(server.baseUrl, HEALTH), 200);
  const started = performance.now();
  for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 20 }, check));
  const statements = proxy.takeCount();
  assert.ok(
    statements >= 1 && statements <= 1 + (performance.now() - started) / 1_000,
    `${statements} queries`,
  );
  await pause(1_000);
  await check();
  assert.equal(proxy.takeCount(), 1);
});
