// A key that is bound to networks is refused from elsewhere. The local gateway gives functions the caller's real
// address, which is 127.0.0.1 in these tests.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { clientAddress } from "../../supabase/functions/_shared/http/client_address.ts";
import { hashCredential } from "../../supabase/functions/_shared/contract/credentials.ts";
import { assertError, call, client, memberClient } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { post, request, toolClient } from "../support/mcp.ts";
import { test } from "../support/scenario.ts";
import { signIn } from "../support/sessions.ts";

const HERE = "127.0.0.0/8";
const ELSEWHERE = "203.0.113.0/24";
const PIPELINES = "/api-v1-pipelines";

/** Creates a key that may be used only from these networks. */
async function makeBoundKey(sql: postgres.Sql, workspaceId: string, networks: string[]) {
  const made = await makeKey(sql, workspaceId);
  await sql`update crm.api_keys set allowed_networks = ${networks}::text[]::cidr[] where id = ${made.id}`;
  return made;
}

test("A call from outside the networks of its key is refused before the verb, and the message names the address (spec 5)", async ({ sql, workspace }) => {
  const { key } = await makeBoundKey(sql, workspace.id, [ELSEWHERE]);
  const refused = await client(key).post("/api-v1-contacts", { name: "Ana" });
  assertError(refused, "insufficient_scope", []);
  assert.match(refused.body.error.message, /veio de 127\.0\.0\.1; chame de uma delas, ou inclua/);
  const [row] = await sql`select count(*)::int as n from crm.contacts where workspace_id = ${workspace.id}`;
  assert.equal(row!["n"], 0);
  for (const path of ["/api-v1-contacts?limit=x", "/api-v1-contacts/x", "/api-v1-me", "/api-v1-me/nothing"]) {
    assertError(await client(key).get(path), "insufficient_scope");
  }
});

test("A client cannot choose the address that the service sees", async ({ sql, workspace }) => {
  const { key } = await makeBoundKey(sql, workspace.id, [ELSEWHERE]);
  for (const name of ["CF-Connecting-IP", "cf-connecting-ip", "X-Forwarded-For", "X-Real-IP", "Forwarded"]) {
    const forged = await call("GET", PIPELINES, { key, headers: { [name]: "203.0.113.7" } });
    assertError(forged, "insufficient_scope");
  }
});

test("A call that is refused because of its address counts towards the rate limit (spec 8)", async ({ sql, workspace }) => {
  await sql`update crm.workspaces set rate_limit_per_minute = 2 where id = ${workspace.id}`;
  const { key } = await makeBoundKey(sql, workspace.id, [ELSEWHERE]);
  for (const remaining of [1, 0]) {
    const refused = await client(key).get(PIPELINES);
    assertError(refused, "insufficient_scope");
    assert.match(refused.headers.get("RateLimit")!, new RegExp(`r=${remaining}\\b`));
  }
  assertError(await client(key).get(PIPELINES), "rate_limited");
});

test("A replay of an Idempotency-Key is refused from elsewhere too (spec 4.0.1)", async ({ sql, workspace }) => {
  const { id, key } = await makeBoundKey(sql, workspace.id, [HERE]);
  const create = () => client(key).post("/api-v1-contacts", { name: "Ana" }, { "Idempotency-Key": "a" });
  assert.equal((await create()).status, 201);
  await sql`update crm.api_keys set allowed_networks = array[${ELSEWHERE}]::text[]::cidr[] where id = ${id}`;
  assertError(await create(), "insufficient_scope");
});

test("Over MCP, the address of the assistant counts", async ({ sql, workspace }) => {
  const elsewhere = await makeBoundKey(sql, workspace.id, [ELSEWHERE]);
  const { isError, data } = await toolClient(elsewhere.key)("pipelines_list");
  assert.ok(isError);
  assert.equal(data.error.code, "insufficient_scope");
  assert.match(data.error.message, /veio de 127\.0\.0\.1/);
  const { body } = await post(request("tools/list"), { "X-API-Key": elsewhere.key });
  assert.match(body.error.message, /veio de 127\.0\.0\.1/);

  const here = await makeBoundKey(sql, workspace.id, [HERE]);
  assert.equal((await toolClient(here.key)("pipelines_list")).isError, false);
});

const CASES: { networks: string[]; in: string[]; out: (string | null)[] }[] = [
  {
    networks: ["203.0.113.7"],
    in: ["203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107"],
    out: ["203.0.113.8", "::203.0.113.7", "", "unknown", "203.0.113.7:80", "203.0.113.7, 10.0.0.1", null],
  },
  {
    networks: ["10.0.0.0/8", "203.0.113.0/24"],
    in: ["10.255.0.1", "203.0.113.255"],
    out: ["11.0.0.0", "203.0.114.0", "::1"],
  },
  {
    networks: ["2001:db8::/32"],
    in: ["2001:db8::1", "2001:0DB8:ffff::"],
    out: ["2001:db9::", "203.0.113.7", "::ffff:203.0.113.7"],
  },
  { networks: ["::ffff:10.0.0.0/104"], in: ["10.1.2.3", "::ffff:10.1.2.3"], out: ["11.0.0.0"] },
  { networks: ["0.0.0.0/0"], in: ["1.2.3.4", "::ffff:1.2.3.4"], out: ["2001:db8::1", null] },
  { networks: ["::/0"], in: ["2001:db8::1"], out: ["1.2.3.4", null] },
];

test("Networks of IPv4 and IPv6 match the addresses in them, whatever form an address has", async ({ sql, workspace }) => {
  const { session } = await signIn(sql, workspace.id, "gestor");
  for (const { networks, in: allowed, out } of CASES) {
    const { status, body, text } = await memberClient(session).post("/app-v1-keys", {
      name: "ERP",
      scopes: ["pipelines:read"],
      allowed_networks: networks,
    });
    assert.equal(status, 201, text);
    const hash = hashCredential(body.key);
    for (const address of [...allowed, ...out]) {
      const [reply] = await sql<[{ error_code: string | null }]>`
        select error_code from api.call(
          decode(${hash}, 'hex'), 'pipelines:read', 'pipeline_list', '{}', null, null, ${address}
        )`;
      const expected = allowed.includes(address!) ? null : "insufficient_scope";
      assert.equal(reply.error_code, expected, `${networks} ${address}`);
    }
  }
});

test("An unknown address is refused by a key with networks, with a message for the operator", async ({ sql, workspace }) => {
  const { key } = await makeBoundKey(sql, workspace.id, [HERE]);
  const [{ message }] = await sql<[{ message: string }]>`
    select details -> 0 ->> 'message' as message
    from api.call(decode(${
    hashCredential(key)
  }, 'hex'), 'pipelines:read', 'pipeline_list', '{}', null, null)`;
  assert.match(message, /não sabe de que endereço .* CLIENT_ADDRESS_HEADER/);
});

test("A key's networks are set, shown and removed, and the audit log records each change", async ({ sql, workspace }) => {
  const { session } = await signIn(sql, workspace.id, "gestor");
  const member = memberClient(session);
  const made = await member.post("/app-v1-keys", {
    name: "ERP",
    scopes: ["leads:write"],
    allowed_networks: [" 203.0.113.7 ", "2001:DB8:0::/32", "203.0.113.7/32"],
  });
  assert.deepEqual(made.body.allowed_networks, ["2001:db8::/32", "203.0.113.7/32"]);
  const { id, key } = made.body;
  const change = (body: unknown) => member.patch(`/app-v1-keys/${id}`, body);
  assert.deepEqual((await change({ name: "ERP 2" })).body.allowed_networks, made.body.allowed_networks);
  const changed = await change({ allowed_networks: [HERE] });
  assert.deepEqual([changed.body.name, changed.body.allowed_networks], ["ERP 2", [HERE]]);
  assert.deepEqual((await client(key).get("/api-v1-me")).body.key.allowed_networks, [HERE]);
  assert.deepEqual((await change({ allowed_networks: [] })).body.allowed_networks, []);
  const lines = await sql`
    select details from crm.audit_log where object_id = ${id} and action = 'key_networks_changed' order by id`;
  assert.deepEqual(lines.map(({ details }) => details), [
    { from: made.body.allowed_networks, to: [HERE] },
    { from: [HERE], to: null },
  ]);
});

test("Each invalid network has its own error, with a correction where the intended network is clear (spec 7)", async ({ sql, workspace }) => {
  const { session } = await signIn(sql, workspace.id, "admin");
  const { id } = await makeKey(sql, workspace.id);
  const bind = (allowed_networks: unknown) =>
    memberClient(session).patch(`/app-v1-keys/${id}`, { allowed_networks });
  const form = "Deve ser um endereço ou uma rede, como 203.0.113.7 ou 203.0.113.0/24";
  const wrong = {
    "203.0.113.7/24": "A rede deste endereço se escreve 203.0.113.0/24",
    "10.0.0/8": form,
    "300.1.1.1": form,
    "10.0.0.0/33": form,
    "2001:db8::1/32": "A rede deste endereço se escreve 2001:db8::/32",
    "fe80::1%eth0": form,
    "exemplo.com.br": form,
    "::ffff:10.0.0.1/104": "A rede deste endereço se escreve 10.0.0.0/8",
  };
  const messages = Object.values(wrong).map((message, at) => [`allowed_networks.${at}`, message]);
  assert.deepEqual(
    assertError(await bind(Object.keys(wrong)), "validation_error"),
    Object.fromEntries(messages),
  );
  const many = Array.from({ length: 21 }, (_, n) => `10.0.0.${n}`);
  for (const networks of [many, "10.0.0.1", null]) {
    assertError(await bind(networks), "validation_error", ["allowed_networks"]);
  }
});

Deno.test("The address of a call is the last entry of CF-Connecting-IP", () => {
  const address = (value: string) => clientAddress(new Headers({ "CF-Connecting-IP": value }));
  assert.equal(address("203.0.113.7"), "203.0.113.7");
  assert.equal(address("10.0.0.1, 203.0.113.7 "), "203.0.113.7");
  assert.equal(address("10.0.0.1,"), null);
  assert.equal(clientAddress(new Headers()), null);
});
