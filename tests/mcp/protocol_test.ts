// Streamable HTTP without sessions (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports), and the
// messages of the protocol.
import assert from "node:assert/strict";
import { findUserBySession } from "../../run/local/auth/users.ts";
import { operate } from "../../run/operator/operator.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { makeApp } from "../support/apps.ts";
import { makeKey } from "../support/fixtures.ts";
import { MCP_URL, post, request } from "../support/mcp.ts";
import type { Reply } from "../support/reply.ts";
import { test } from "../support/scenario.ts";
import { accessTokens } from "../support/sessions.ts";
import { baseUrl } from "../support/stack.ts";

const METADATA = `${MCP_URL}/.well-known/oauth-protected-resource`;
const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

function initialize(protocolVersion: unknown) {
  return request("initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "teste", version: "1" },
  });
}

function assertRpcError(
  { status, body, text }: Reply,
  expected: { status: number; code: number; id: unknown },
) {
  assert.deepEqual({ status, code: body?.error?.code, id: body?.id }, expected, text);
  assert.ok(body.error.message.length > 0);
}

test("initialize answers with the requested revision if it is known, else with the newest, and names the key's workspace", async ({ workspace: { key } }) => {
  for (const revision of [...REVISIONS, "2030-01-01"]) {
    const { status, headers, body } = await post(initialize(revision), { "X-API-Key": key });
    assert.equal(status, 200);
    assert.equal(headers.get("Content-Type"), "application/json; charset=utf-8");
    assert.equal(headers.get("Mcp-Session-Id"), null);
    assert.equal(body.result.protocolVersion, REVISIONS.includes(revision) ? revision : REVISIONS.at(-1));
    assert.deepEqual(body.result.capabilities, { tools: {}, prompts: {} });
    assert.match(body.result.instructions, /empresa "Teste"/);
    const ping = await post(request("ping"), { "X-API-Key": key, "MCP-Protocol-Version": revision });
    if (REVISIONS.includes(revision)) assert.equal(ping.status, 200);
    else assertRpcError(ping, { status: 400, code: -32600, id: null });
  }
  assertRpcError(await post(initialize(1), { "X-API-Key": key }), { status: 200, code: -32602, id: 1 });
});

test("A notification is answered 202, and so is a response, although the server sends no requests", async ({ workspace: { key } }) => {
  for (
    const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: [1] },
      { jsonrpc: "2.0", id: 7, result: {} },
    ]
  ) {
    const { status, text } = await post(message, { "X-API-Key": key });
    assert.deepEqual({ status, text }, { status: 202, text: "" });
  }
});

test("Invalid JSON is -32700, JSON that is not a request is -32600, and both are 400", async ({ workspace: { key } }) => {
  for (const body of ["{", "", "\u{0}"]) {
    assertRpcError(await post(body, { "X-API-Key": key }), { status: 400, code: -32700, id: null });
  }
  const ofNull = '{"jsonrpc":"2.0","id":null,"method":"ping"}';
  for (const body of ["1", '"ping"', "null", "{}", ofNull, '{"jsonrpc":"2.0"}']) {
    assertRpcError(await post(body, { "X-API-Key": key }), { status: 400, code: -32600, id: null });
  }
  const version1 = { id: "a", method: "ping" };
  assertRpcError(await post(version1, { "X-API-Key": key }), { status: 400, code: -32600, id: "a" });
});

test("An unknown method is -32601, and bad parameters are -32602", async ({ workspace: { key } }) => {
  const send = (method: string, params?: unknown) => post(request(method, params), { "X-API-Key": key });
  for (const method of ["resources/list", "logging/setLevel", "toString"]) {
    assertRpcError(await send(method), { status: 200, code: -32601, id: 1 });
  }
  for (
    const [method, params] of [
      ["tools/call", {}],
      ["tools/call", { name: "contacts_burn" }],
      ["tools/call", { name: "constructor" }],
      ["tools/call", { name: "contacts_list", arguments: [] }],
      ["tools/call", []],
      ["tools/list", { cursor: "x" }],
    ] as const
  ) {
    assertRpcError(await send(method, params), { status: 200, code: -32602, id: 1 });
  }
});

test("A JSON-RPC batch is answered with a batch, in the revisions that have batches", async ({ workspace: { key } }) => {
  const list = [
    request("ping", {}, "a"),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    request("nada", {}, 2),
  ];
  for (const headers of [{}, { "MCP-Protocol-Version": "2025-03-26" }]) {
    const { status, body } = await post(list, { "X-API-Key": key, ...headers });
    assert.equal(status, 200);
    assert.deepEqual(body.map(({ id }: { id: unknown }) => id), ["a", 2]);
    assert.equal(body[1].error.code, -32601);
  }
  const newer = { "X-API-Key": key, "MCP-Protocol-Version": "2025-06-18" };
  for (const [body, headers] of [[list, newer], [[], {}], [Array(21).fill(request("ping")), {}]] as const) {
    const reply = await post(body, { "X-API-Key": key, ...headers });
    assertRpcError(reply, { status: 400, code: -32600, id: null });
  }
  const { body } = await post([initialize("2025-03-26")], { "X-API-Key": key });
  assert.equal(body[0].error.code, -32600);
});

test("A JSON-RPC batch with a repeated field or an invalid text is refused as a whole, however many messages it has", async ({ workspace: { key }, api }) => {
  const faulty = JSON.stringify(request("ping", { texts: Array(100).fill("\0") }));
  const creation =
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${'{"name":"contacts_create","arguments":{"name":"A","name":"B"}}'}}`;
  for (const list of [`[${faulty},${creation}]`, `[${creation}]`]) {
    const { status, body } = await post(list, { "X-API-Key": key });
    assert.deepEqual({ status, code: body.error?.code }, { status: 422, code: -32600 });
  }
  assert.deepEqual((await api.get("/api-v1-contacts")).body.data, []);
});

Deno.test("GET and DELETE are 405, because there are no streams and no sessions, and paths below are 404", async () => {
  for (const method of ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"]) {
    const response = await fetch(MCP_URL, { method });
    await response.body?.cancel();
    assert.equal(response.status, 405, method);
    assert.equal(response.headers.get("Allow"), "POST");
  }
  const response = await fetch(`${MCP_URL}/.well-known/oauth-authorization-server`);
  assert.equal(response.status, 404);
  await response.body?.cancel();
});

test("The key is taken from X-API-Key or from Authorization, and every other caller is 401, even with a large body", async ({ sql, workspace: { id, key } }) => {
  const list = request("tools/list");
  const accepted = [
    { "X-API-Key": key },
    ...["Bearer", "bearer"].map((b) => ({ Authorization: `${b} ${key}` })),
  ];
  for (const headers of accepted as Record<string, string>[]) {
    assert.equal((await post(list, headers)).status, 200);
  }
  const other = await makeKey(sql, id);
  await operate(sql, "key_revoke", { workspace_id: id, id: other.id });
  for (
    const [code, headers] of [
      ["missing_api_key", {}],
      ["missing_api_key", { Authorization: "Basic eDp5" }],
      ["invalid_api_key", { "X-API-Key": key.slice(0, -1) }],
      ["invalid_api_key", { "X-API-Key": generateKey() }],
      ["revoked_api_key", { "Authorization": `Bearer ${other.key}` }],
    ] as [string, Record<string, string>][]
  ) {
    // Over the 16 KiB that are read before the key is checked, but small: fetch must send all of it before the reply.
    const large = request("tools/list", { x: "x".repeat(17_000) });
    for (
      const message of [list, initialize("2025-11-25"), request("tools/call", { name: "me_get" }), large]
    ) {
      const { status, headers: replied, body, text } = await post(message, headers);
      assert.deepEqual({ status, code: body.error.data.code }, { status: 401, code }, text);
      assert.equal(replied.get("WWW-Authenticate"), `Bearer resource_metadata="${METADATA}"`);
    }
  }
});

test("A page of another origin is refused with 403, and a page of the console may call", async ({ workspace: { key } }) => {
  for (const origin of ["https://malicioso.example", "null", "http://localhost:1"]) {
    const reply = await post(request("ping"), { "X-API-Key": key, "Origin": origin });
    assertRpcError(reply, { status: 403, code: -32600, id: null });
    assert.equal(reply.headers.get("Access-Control-Allow-Origin"), null);
  }
  const { origin } = new URL(baseUrl);
  const reply = await post(request("ping"), { "X-API-Key": key, "Origin": origin });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("Access-Control-Allow-Origin"), origin);
  const preflight = await fetch(MCP_URL, {
    method: "OPTIONS",
    headers: { "Origin": origin, "Access-Control-Request-Method": "POST" },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("Access-Control-Allow-Headers") ?? "", /MCP-Protocol-Version/);
});

test("A body that is over 256 KiB, too deep or has too many values is refused before it is parsed", async ({ workspace: { key } }) => {
  const call = (args: string) =>
    post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"contacts_list","arguments":${args}}}`,
      { "X-API-Key": key },
    );
  assert.equal((await call(`{"q":"${"x".repeat(256 * 1024)}"}`)).status, 413);
  assert.equal((await call(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`)).status, 422);
  assert.equal((await call(`{"a":[${"1,".repeat(6_000)}1]}`)).status, 422);
});

test("An app lists the tools of its scopes with its token and calls them, and without a grant it is 401", async ({ sql, workspace: { id } }) => {
  const { member, clientId, token, sessionId, grant: { id: grantId } } = await makeApp(sql, id, "vendedor", [
    "contacts:read",
    "contacts:write",
  ]);
  const headers = { Authorization: `Bearer ${token}` };
  const { body: listed, text } = await post(request("tools/list"), headers);
  const names = listed.result?.tools.map(({ name }: { name: string }) => name);
  assert.ok(names?.includes("contacts_create") && !names.includes("deals_list"), text);
  const create = () =>
    post(request("tools/call", { name: "contacts_create", arguments: { name: "Ana" } }), headers);
  const created = (await create()).body.result.structuredContent;
  // With a renewed token of the same session, the same call is a repetition.
  const user = await findUserBySession(sql, member.userId, sessionId);
  const later = 1 + Math.floor(Date.now() / 1000);
  const renewed = await accessTokens.sign(user!, sessionId, later, clientId);
  headers.Authorization = `Bearer ${renewed}`;
  assert.equal((await create()).body.result.structuredContent.id, created.id);
  const stored = await sql`select count(*)::int as count from crm.contacts where workspace_id = ${id}`;
  assert.equal(stored[0]!["count"], 1);

  await operate(sql, "grant_revoke", { workspace_id: id, id: grantId });
  for (const message of [request("tools/list"), request("tools/call", { name: "me_get" })]) {
    const refused = await post(message, headers);
    assert.deepEqual([refused.status, refused.body.error.data.code], [401, "revoked_api_key"], refused.text);
    const challenge = `Bearer error="invalid_token", resource_metadata="${METADATA}"`;
    assert.equal(refused.headers.get("WWW-Authenticate"), challenge);
  }
  const person = await post(request("tools/list"), { Authorization: `Bearer ${member.session}` });
  assert.deepEqual([person.status, person.body.error.data.code], [401, "invalid_api_key"]);
});
