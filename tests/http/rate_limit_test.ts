import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";

const PIPELINES = "/api-v1-pipelines";
const DEFAULT_LIMIT = 120;

test("a workspace's plan admits 120 calls a minute by default (spec 8)", async ({ sql }) => {
  const [column] = await sql`
    insert into crm.workspaces (name) values ('default plan') returning rate_limit_per_minute as limit`;
  assert.equal(column!["limit"], DEFAULT_LIMIT);
});

test("200 simultaneous calls of one key admit exactly 120 (spec 8)", async ({ sql }) => {
  const { key } = await makeWorkspace(sql, { rateLimit: DEFAULT_LIMIT });
  const replies = await Promise.all(Array.from({ length: 200 }, () => client(key).get(PIPELINES)));
  assert.equal(replies.filter(({ status }) => status === 200).length, DEFAULT_LIMIT);
  const refused = replies.filter(({ status }) => status === 429);
  assert.equal(refused.length, 80);
  for (const { headers } of refused) {
    assert.ok(Number(headers.get("Retry-After")) >= 1 && Number(headers.get("Retry-After")) <= 60);
  }
  // Each admitted call got a different number of remaining calls.
  const left = replies.filter(({ status }) => status === 200).map(({ headers }) =>
    /r=(\d+)/.exec(headers.get("RateLimit")!)![1]
  );
  assert.equal(new Set(left).size, DEFAULT_LIMIT);
});

test("the window slides: a call is admitted again when the oldest is 60 seconds old, not before (spec 8)", async ({ sql }) => {
  const { key, id } = await makeWorkspace(sql, { rateLimit: 3 });
  const api = client(key);
  for (let i = 0; i < 3; i++) assert.equal((await api.get(PIPELINES)).status, 200);
  const age = (seconds: number[]) =>
    sql`
    update crm.rate_limits set hits = (
      select array_agg(clock_timestamp() - make_interval(secs => s) order by s desc) from unnest(${seconds}::float[]) s)
    where key_id = (select id from crm.api_keys where workspace_id = ${id})`;
  await age([59, 40, 20]);
  const refused = await api.get(PIPELINES);
  assertError(refused, "rate_limited");
  assert.equal(refused.headers.get("Retry-After"), "1");
  await age([60.1, 40, 20]);
  assert.equal((await api.get(PIPELINES)).status, 200);
  assertError(await api.get(PIPELINES), "rate_limited");
});

test("a call over the limit is not counted, a call that ends in an error is", async ({ sql }) => {
  const { key, id } = await makeWorkspace(sql, { rateLimit: 4 });
  const api = client(key);
  assert.equal((await api.post("/api-v1-leads", {})).status, 422);
  assert.equal((await api.get(`${PIPELINES}/nowhere`)).status, 404);
  assert.equal((await api.delete(PIPELINES)).status, 405);
  assert.equal(
    (await api.post("/api-v1-leads", { first_name: "A", pipeline_id: crypto.randomUUID() })).status,
    422,
  );
  for (let i = 0; i < 3; i++) assertError(await api.get(PIPELINES), "rate_limited");
  const [row] = await sql`
    select cardinality(hits) as n from crm.rate_limits
    where key_id = (select id from crm.api_keys where workspace_id = ${id})`;
  assert.equal(row!["n"], 4);
});

test("a lowered limit applies at once, and Retry-After says when the lowered limit admits a call", async ({ sql }) => {
  const { key, id } = await makeWorkspace(sql, { rateLimit: 5 });
  for (let i = 0; i < 5; i++) await client(key).get(PIPELINES);
  await sql`
    update crm.rate_limits
    set hits = (select array_agg(clock_timestamp() - make_interval(secs => s) order by s desc) from unnest('{50,40,30,20,10}'::int[]) s)
    where key_id = (select id from crm.api_keys where workspace_id = ${id})`;
  await sql`update crm.workspaces set rate_limit_per_minute = 2 where id = ${id}`;
  const refused = await client(key).get(PIPELINES);
  assertError(refused, "rate_limited");
  const wait = Number(refused.headers.get("Retry-After"));
  assert.ok(wait >= 39 && wait <= 40, `the fourth of five calls leaves in 40 s, Retry-After is ${wait}`);
});
