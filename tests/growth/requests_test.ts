// Reads the request log of a key with 100,000 requests. Uses a separate database, whose statistics no other test
// changes.
import assert from "node:assert/strict";
import { openWorld } from "../../bench/harness/world.ts";
import { hashCredential } from "../../supabase/functions/_shared/contract/credentials.ts";
import { countRows } from "../support/blocks.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";

const REQUESTS = 100_000;
/** The days before today that the requests, 5 s apart, fill. Postgres would scan a partition with few rows whole. */
const DAYS = 6;
/** The partitions of the log. */
const LOG = "requests\\_%";

/** `atMost`: the most rows that a page may read. It reads its own rows and those that its filter skips, each twice. */
const PAGES: { query: Record<string, unknown>; rows: number; atMost: number }[] = [
  { query: {}, rows: 50, atMost: 250 },
  { query: { limit: 200 }, rows: 200, atMost: 700 },
  { query: { status: "422" }, rows: 50, atMost: 250 },
  { query: { status: "503" }, rows: 9, atMost: 10_300 },
  { query: { status: "404" }, rows: 0, atMost: 10_300 },
  { query: { status: "2xx", path: "/nothing" }, rows: 0, atMost: 10_300 },
  { query: { path: "/api-v1-deals" }, rows: 50, atMost: 400 },
  { query: { code: "not_found" }, rows: 0, atMost: 10_300 },
];

Deno.test("A page of a key's log reads at most 5,000 requests twice, and the count of failures reads them once", async () => {
  await using world = await openWorld();
  const { sql } = world;
  const { id } = await makeWorkspace(sql);
  const { id: keyId, key } = await makeKey(sql, id);
  for (let days = DAYS; days >= 0; days--) {
    await sql`select crm.manage_partitions('crm.requests', now() - ${days} * interval '1 day')`;
  }
  await sql`
    insert into crm.requests (workspace_id, key_id, id, method, path, status, request_id, duration_ms)
    select ${id}, ${keyId}, crm.uuid_v7(date_trunc('day', now(), 'UTC') - n * interval '5 s'), 'GET',
      case when n % 2 = 0 then '/api-v1-contacts' else '/api-v1-deals' end,
      case when n % 5000 = 0 then 503 when n % 10 = 1 then 422 else 200 end, gen_random_uuid(), 3
    from generate_series(1, ${REQUESTS}) n`;
  await sql`vacuum analyze crm.requests`;
  for (const { query, rows, atMost } of PAGES) {
    const { found, read } = await sql.begin(async (sql) => {
      const before = await countRows(sql, LOG);
      const [reply] = await sql<[{ n: number }]>`
        select json_array_length(body::json -> 'data') as n
        from api.call(decode(${hashCredential(key)}, 'hex'), null, 'me_requests', ${
        sql.json(query as never)
      }, null, null)`;
      return { found: reply.n, read: await countRows(sql, LOG) - before };
    });
    assert.equal(found, rows, JSON.stringify(query));
    assert.ok(read <= atMost, `${JSON.stringify(query)} read ${read} rows`);
  }
  const { isPartial, read } = await sql.begin(async (sql) => {
    const before = await countRows(sql, LOG);
    const [row] = await sql<[{ isPartial: boolean }]>`
      select (crm.request_failures(${id}, ${keyId}) -> 'is_partial')::text::boolean as "isPartial"`;
    return { ...row, read: await countRows(sql, LOG) - before };
  });
  assert.equal(isPartial, true);
  // The count reads one row more than it counts, to know whether there are more, and one row of each day's partition.
  assert.ok(read <= 5_000 + 1 + DAYS, `request_failures read ${read} rows`);
});
