// The log of a key's requests: GET /api-v1-me/requests, and for members GET /app-v1-keys/:id/requests.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { eventually } from "../../../bench/harness/waiting.ts";
import { rotateKey } from "../../../run/operator/keys.ts";
import { ListQuery } from "../../../supabase/functions/_shared/contract/pagination.ts";
import { assertError, client, type Reply } from "../../support/client.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { toolClient } from "../../support/mcp.ts";
import { type Logged, loggedOf, readLog } from "../../support/request_log.ts";
import { readPages } from "../../support/record_fixtures.ts";
import { keyEndpoints } from "../../support/resources.ts";
import { test } from "../../support/scenario.ts";
import { signIn } from "../../support/sessions.ts";

const REQUESTS = "/api-v1-me/requests";
/** A value that must not reach the log. */
const MARKER = "quem-o-sabe";

test("A request is in the log of its key with its path, status and duration, and with the error that was answered", async ({ workspace: { key }, api }) => {
  const before = Date.now();
  const { id } = (await api.post("/api-v1-contacts", { name: "Ana" })).body;
  const read = await api.get(`/api-v1-contacts/${id}?expand=company,owner`);
  const { started_at, duration_ms, ...logged } = await loggedOf(key, read);
  assert.deepEqual(logged, {
    request_id: read.headers.get("X-Request-Id"),
    method: "GET",
    path: `/api-v1-contacts/${id}?expand`,
    status: 200,
    error: null,
  });
  // started_at is the database's time minus the age of the request.
  assert.ok(Math.abs(Date.parse(started_at) - before) < 10_000, started_at);
  assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0 && duration_ms < 30_000);

  const strict = { Prefer: "handling=strict" };
  const refused = await api.post("/api-v1-contacts", { name: "", email: "x", phoen: 1 }, strict);
  const { status, error } = await loggedOf(key, refused);
  assert.deepEqual([status, error], [422, refused.body.error]);
  assert.match(JSON.stringify(error), /talvez/, "people see which fields were wrong");
});

test("Errors of scope, path, method and parameters are in the log", async ({ sql, workspace }) => {
  const limited = await makeKey(sql, workspace.id, { scopes: ["contacts:read"] });
  const api = client(limited.key);
  const { id } = (await client(workspace.key).post("/api-v1-contacts", { name: "Ana" })).body;
  const replies: [Reply, string, string][] = [
    [await api.post("/api-v1-contacts", { name: "Ana" }), "POST /api-v1-contacts", "insufficient_scope"],
    [await api.get("/api-v1-contacts/ana"), "GET /api-v1-contacts/:id", "not_found"],
    [
      await api.get(`/api-v1-contacts/${id}/nothing-here`),
      `GET /api-v1-contacts/${id}/nothing-here`,
      "not_found",
    ],
    [await api.get("/api-v1-contacts/a/ana@exemplo.com"), "GET /api-v1-contacts/a/…", "not_found"],
    [await api.delete(`/api-v1-contacts/${id}`), `DELETE /api-v1-contacts/${id}`, "method_not_allowed"],
    [
      await api.get("/api-v1-contacts?cursor=1&limit=2"),
      "GET /api-v1-contacts?cursor&limit",
      "invalid_cursor",
    ],
    [await api.post("/api-v1-contacts/batch", "{"), "POST /api-v1-contacts/batch", "insufficient_scope"],
  ];
  for (const [reply, request, code] of replies) {
    assertError(reply, code as "not_found");
    const { method, path, error } = await loggedOf(limited.key, reply);
    assert.equal(`${method} ${path}`, request);
    assert.deepEqual(error, reply.body.error);
  }
  const all = await readLog(limited.key);
  assert.equal(all.length - all.filter(({ path }) => path.startsWith(REQUESTS)).length, replies.length);
});

test("No body, header, query value or path value reaches the log, even if the error quotes it", async ({ sql, workspace, api }) => {
  const { key } = workspace;
  const headers = { "User-Agent": MARKER, "Idempotency-Key": MARKER };
  const contact = { name: MARKER, email: `${MARKER}@exemplo.com`, notes: MARKER };
  await api.post("/api-v1-contacts", contact, headers);
  await api.post("/api-v1-contacts", { name: MARKER, [`${MARKER}@x.com`]: MARKER }, {
    Prefer: "handling=strict",
  });
  await api.post("/api-v1-leads", { first_name: MARKER, value: MARKER, owner_id: MARKER, utm: MARKER });
  await api.post("/api-v1-webhooks", { event_types: [MARKER], target_url: `https://${MARKER}` });
  await api.get(`/api-v1-contacts/${MARKER}`);
  await api.get(`/api-v1-contacts?${MARKER}%40x.com=1`);
  for (const { route: { method, path, endpoint }, resource } of keyEndpoints) {
    if (method !== "GET") continue;
    for (const name of Object.keys(endpoint.query.shape)) {
      const address = `/${resource.name}${path === "/" ? "" : path}`.replace(/:\w+/g, crypto.randomUUID());
      const value = name in ListQuery.shape ? MARKER : `${MARKER},"${MARKER}" não é`;
      await api.get(`${address}?${name}=${value}`);
    }
  }
  await loggedOf(key, await api.get("/api-v1-me"));
  const rows = await sql`select r::text as line from crm.requests r where r.workspace_id = ${workspace.id}`;
  assert.ok(rows.length > 100, "one row for each parameter");
  assert.ok(rows.some(({ line }) => line.includes("não é um de")));
  assert.deepEqual(rows.filter(({ line }) => line.includes(MARKER)), []);
});

test("A key sees its requests from before its secret was rotated, and none of another key or workspace", async ({ sql, workspace }) => {
  const sibling = await makeKey(sql, workspace.id);
  const other = await makeWorkspace(sql);
  const keys = [workspace.key, sibling.key, other.key];
  const replies = await Promise.all(keys.map((key) => client(key).get("/api-v1-pipelines")));
  keys[1] = (await rotateKey(sql, sibling.id, 3600)).key;
  for (const [index, key] of keys.entries()) {
    const { request_id } = await loggedOf(key, replies[index]!);
    for (const another of keys) {
      const seen = (await readLog(another)).some((row) => row.request_id === request_id);
      assert.equal(seen, another === key);
    }
  }
});

/** Fills the log of a new key with `count` requests, a minute apart; every tenth got 422, and every tenth 503. */
async function fillLog(sql: postgres.Sql, workspaceId: string, count: number) {
  const made = await makeKey(sql, workspaceId);
  await sql`
    insert into crm.requests (workspace_id, key_id, id, method, path, status, request_id, duration_ms, error)
    select ${workspaceId}, ${made.id}, crm.uuid_v7(now() - n * interval '1 minute'), 'GET',
      case when n % 2 = 0 then '/api-v1-contacts' else '/api-v1-deals?limit' end,
      case when n % 10 = 0 then 422 when n % 10 = 5 then 503 else 200 end, gen_random_uuid(), n,
      case
        when n % 20 = 0 then '{"code": "invalid_reference", "message": "…"}'
        when n % 10 = 0 then '{"code": "validation_error", "message": "…"}'
      end::json
    from generate_series(1, ${count}) n`;
  return made;
}

/** The requests on each page of a list, by the number that fillLog stores as their duration_ms. */
async function walk(people: ReturnType<typeof client>, query: string, path = REQUESTS): Promise<number[][]> {
  const pages = await readPages(people, `${path}?${query}`);
  return pages.map(({ body }) => body.data.filter(({ path }: Logged) => !path.startsWith(REQUESTS)))
    .map((rows) => rows.map(({ duration_ms }: Logged) => duration_ms));
}

test("The log has pages, newest first, and filters by status, class, code, path and time, for the key and for members", async ({ sql, workspace }) => {
  const { id, key } = await fillLog(sql, workspace.id, 60);
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  const lists = [
    (query: string) => walk(client(key), query),
    (query: string) => walk(vendedor, query, `/app-v1-keys/${id}/requests`),
  ];
  const numbers = (test: (n: number) => boolean) => Array.from({ length: 60 }, (_, n) => n + 1).filter(test);
  const since = new Date(Date.now() - 30.5 * 60_000).toISOString();
  const cases: [query: string, expected: number[]][] = [
    ["limit=25", numbers(() => true)],
    ["limit=20&status=2xx&path=/api-v1-d", numbers((n) => n % 2 === 1 && n % 10 !== 5)],
    ["limit=4&status=422", numbers((n) => n % 10 === 0)],
    ["limit=2&code=invalid_reference", numbers((n) => n % 20 === 0)],
    ["status=4xx&code=invalid_reference", numbers((n) => n % 20 === 0)],
    ["status=2xx&code=invalid_reference", []],
    ["status=4xx", numbers((n) => n % 10 === 0)],
    ["status=503&path=/api-v1-contacts", []],
    ["status=5xx&path=/api-v1-deals", numbers((n) => n % 10 === 5)],
    [`since=${since}`, numbers((n) => n <= 30)],
    [`until=${since}&status=422`, [40, 50, 60]],
  ];
  for (const read of lists) {
    for (const [query, expected] of cases) assert.deepEqual((await read(query)).flat(), expected, query);
    const pages = await read("limit=20&status=2xx&path=/api-v1-d");
    assert.deepEqual(pages.map((page) => page.length), [20, 4]);
  }
});

test("With a filter that matches little, a call reads at most 5,000 requests, and says that there may be more", async ({ sql, workspace }) => {
  const { key } = await fillLog(sql, workspace.id, 10_500);
  assert.deepEqual(await walk(client(key), "status=301"), [[], [], []]);
  // Failed requests have an index of their own, so a call reads only these: 1,050 with 422 and 1,050 with 503.
  assert.deepEqual(await walk(client(key), "status=404"), [[]]);
  const failed = await walk(client(key), "status=422&limit=200");
  assert.deepEqual(failed.map((page) => page.length), [...Array(5).fill(200), 50]);
});

test("A page of the log ends at 500 KB, and the next page continues after it", async ({ sql, workspace }) => {
  const { id, key } = await fillLog(sql, workspace.id, 100);
  const error = { code: "validation_error", message: "x".repeat(12_000) };
  await sql`update crm.requests set error = ${sql.json(error)} where key_id = ${id}`;
  const pages = await walk(client(key), "limit=200");
  assert.deepEqual(pages.flat(), Array.from({ length: 100 }, (_, n) => n + 1));
  assert.deepEqual(pages.map((page) => page.length > 30), [true, true, false]);
});

test("Invalid filters of the log are refused, and name what is allowed (spec 7)", async ({ sql, workspace, api }) => {
  const { client: vendedor } = await signIn(sql, workspace.id, "vendedor");
  const { id } = await makeKey(sql, workspace.id);
  const ofMember = (query: string) => vendedor.get(`/app-v1-keys/${id}/requests${query}`);
  for (const get of [(query: string) => api.get(REQUESTS + query), ofMember]) {
    for (const status of ["600", "4x", "42", "0xx", "4XX", "abc", ""]) {
      const details = assertError(await get(`?status=${status}`), "validation_error");
      assert.deepEqual(details, { status: "Deve ser um status HTTP, como 422, ou uma classe, como 4xx" });
    }
    assertError(await get(`?path=&since=ontem&until=x`), "validation_error", ["path", "since", "until"]);
    assert.deepEqual(assertError(await get("?code=422"), "validation_error"), {
      code: "Deve ser um código de erro, como validation_error",
    });
    assertError(await get("?cursor=x"), "invalid_cursor");
    assertError(await get("?key=x"), "validation_error", ["key"]);
  }
});

test("Calls of tools over MCP are in the log as the requests that they make", async ({ workspace: { key } }) => {
  // The reply has the request id of another call, in which the tool reads the workspace's time zone.
  const { headers } = await toolClient(key)("contacts_list", { limit: 5 });
  await loggedOf(key, { headers });
  const [logged] = (await readLog(key)).filter(({ path }) => path.startsWith("/api-v1-contacts"));
  assert.deepEqual([logged?.method, logged?.path, logged?.status], [
    "GET",
    "/api-v1-contacts?expand&limit",
    200,
  ]);
});

test("If a key gets many 429 in one second, the log has one of them, and requests are written in groups", async ({ sql, workspace }) => {
  const LIMIT = 150;
  const { id, key } = await makeKey(sql, workspace.id);
  await sql`update crm.workspaces set rate_limit_per_minute = ${LIMIT} where id = ${workspace.id}`;
  const started = performance.now();
  const replies = await Promise.all(Array.from({ length: 250 }, () => client(key).get("/api-v1-pipelines")));
  const seconds = (performance.now() - started) / 1000;
  assert.equal(replies.filter(({ status }) => status === 200).length, LIMIT);
  const count = async () => {
    const [row] = await sql<[{ admitted: number; limited: number; statements: number }]>`
      select count(*) filter (where status = 200)::int as admitted, count(*) filter (where status = 429)::int as limited,
        count(distinct xmin::text)::int as statements
      from crm.requests where workspace_id = ${workspace.id} and key_id = ${id}`;
    return row.admitted === LIMIT && row.limited > 0 && row;
  };
  const { limited, statements } = await eventually(count, "the log of all requests");
  assert.ok(limited <= 3 + seconds, `${limited} in ${seconds} s`);
  assert.ok(statements <= 6 + seconds, `${statements} in ${seconds} s`);
});
