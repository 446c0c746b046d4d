// Rules for every endpoint. The tests loop over the endpoint tables, so that a new endpoint needs no new test.
import assert from "node:assert/strict";
import { routeEntries } from "../../tools/tables/route_entries.ts";
import { takesQuery } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { allowedMethods, byPath } from "../../supabase/functions/_shared/contract/route_table.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { assertError, call } from "../support/client.ts";
import { assertDocumented } from "../support/documented.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { addressOf, credentialsFor, makeCredentials, WITHOUT_CREDENTIALS } from "../support/gates.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { apiEndpoints, endpoints, keyEndpoints, resources } from "../support/resources.ts";
import { sql } from "../support/scenario.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

// Callers for all tests in this file, made once.
const limited = await makeWorkspace(sql, { rateLimit: 1 });
const [revoked, expired] = [await makeKey(sql, limited.id), await makeKey(sql, limited.id)];
await sql`update crm.api_keys set revoked_at = now() where id = ${revoked.id}`;
await sql`update crm.api_keys set expires_at = now() where id = ${expired.id}`;
const [suspended, disabled] = [await makeWorkspace(sql), await makeWorkspace(sql)];
// Neither workspace may use the API. The error for the workspace that is also suspended is workspace_suspended.
await sql`
  update crm.workspaces set suspended = id = ${suspended.id}, public_api = false
  where id in (${suspended.id}, ${disabled.id})`;

for (const { resource, route, title } of keyEndpoints) {
  const send = async (key: string | null, body?: unknown) => {
    const reply = await call(route.method, addressOf(resource.name, route.path), {
      key,
      ...(route.endpoint.body && { body: body ?? {} }),
    });
    assertDocumented(resource.name, route, reply);
    return reply;
  };

  Deno.test(`${title} answers 401 missing_api_key without X-API-Key (spec 5, 7)`, async () => {
    const reply = await send(null);
    assertError(reply, "missing_api_key");
    assert.ok(reply.headers.get("X-Request-Id"));
  });

  Deno.test(`${title} answers 401 invalid_api_key for a key without svc_ or an unknown one (spec 5, 7)`, async () => {
    const zeros = `svc_${"0".repeat(49)}`;
    for (const key of ["", "abc", "SVC_abc", "svc_", "svc_abc", zeros, "x".repeat(4000), "svc_ção"]) {
      assertError(await send(key), "invalid_api_key");
    }
  });

  const { scope } = route.endpoint;
  const codes = ["revoked_api_key", "workspace_suspended", "feature_disabled"]
    .concat(scope ? ["insufficient_scope"] : [], "rate_limited").join(", ");
  Deno.test(`${title} answers ${codes} before it looks at the body (spec 5, 7)`, async () => {
    const refuses = async (code: ErrorCode, { key }: { key: string }) => {
      const reply = await send(key, "no json");
      assertError(reply, code);
      return reply;
    };
    await refuses("revoked_api_key", revoked);
    await refuses("revoked_api_key", expired);
    await refuses("workspace_suspended", suspended);
    await refuses("feature_disabled", disabled);
    if (scope !== null) {
      const other = await makeKey(sql, limited.id, { scopes: SCOPES.filter((one) => one !== scope) });
      const { body } = await refuses("insufficient_scope", other);
      assert.ok(body.error.message.includes(scope), "the message names the scope");
    }
    const unused = await makeKey(sql, limited.id);
    const admitted = await send(unused.key);
    assert.notEqual(admitted.status, 429);
    assert.equal(admitted.headers.get("RateLimit-Policy"), '"default";q=1;w=60');
    assert.match(admitted.headers.get("RateLimit")!, /^"default";r=0;t=(59|60)$/);
    const wait = Number((await refuses("rate_limited", unused)).headers.get("Retry-After"));
    assert.ok(wait > 0 && wait <= 60, `Retry-After ${wait}`);
  });

  if (scope === null) {
    Deno.test(`${title} answers every valid key, whatever its scopes (spec 5)`, async () => {
      const { key } = await credentialsFor(resource, "none");
      // 404 shows that the gate let the key pass: no record has the id in the path.
      const { status, query } = route.endpoint;
      const answered = query.safeParse({}).success ? status : 422;
      assert.equal((await send(key)).status, route.path.includes(":id") ? 404 : answered);
    });
  }
}

for (const { resource, route, title } of endpoints) {
  const { method, path, endpoint } = route;
  if (endpoint.body === undefined || endpoint.bodyOptional) continue;
  Deno.test(`${title} answers 400 ${endpoint.malformed} for a body that is missing or not a JSON object (spec 1, 4.1, 7)`, async () => {
    const { token, ...credentials } = await credentialsFor(resource);
    const texts = ["", " ", "{", "{]", '"a"', "[]", "null", "1", "{a:1}", "{'a':1}", '{"a":1,}', "{}x"];
    const noUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    for (const body of [undefined, ...texts, noUtf8]) {
      const reply = await call(method, addressOf(resource.name, path, { token }), { ...credentials, body });
      assertError(reply, endpoint.malformed);
    }
  });
}

Deno.test("Only lists, the search, summaries, upserts and batches refuse unknown query parameters, because a mistyped parameter would return every record, or match by another field (spec 4)", () => {
  for (const { route: { path, endpoint }, title } of apiEndpoints) {
    const isList = "cursor" in endpoint.query.shape;
    const isOther = path === "/upsert" || path === "/batch" || "q" in endpoint.query.shape ||
      path === "/summary";
    assert.equal(takesQuery(endpoint) === true, isList || isOther, title);
  }
});

for (
  const { resource, route, title } of apiEndpoints.filter(({ route }) => takesQuery(route.endpoint) === true)
) {
  Deno.test(`${title} answers 422 to an unknown or repeated query parameter and names it, but ignores forceFunctionRegion, a parameter of the platform (spec 4)`, async () => {
    const { key } = await credentialsFor(resource);
    const path = addressOf(resource.name, route.path);
    const send = (query: string) =>
      call(route.method, path + query, { key, ...(route.endpoint.body && { body: {} }) });
    const [known] = Object.keys(route.endpoint.query.shape);
    const region = "forceFunctionRegion=sa-east-1&forceFunctionRegion=%00";
    const reply = await send(`?nome=1&limite=2&${known}=1&${known}=1&${region}`);
    const details = assertError(reply, "validation_error");
    assert.equal(details[known!], "Parâmetro repetido");
    assert.ok("nome" in details && "limite" in details && !("forceFunctionRegion" in details));
  });
}

for (
  const { resource, route, title } of endpoints.filter(({ route }) => takesQuery(route.endpoint) !== true)
) {
  Deno.test(`${title} ignores unknown query parameters, even repeated ones and those that could not be stored (spec 4)`, async () => {
    const { token, ...credentials } = await credentialsFor(resource);
    const path = addressOf(resource.name, route.path, { token });
    const send = (query: string) =>
      call(route.method, path + query, { ...credentials, ...(route.endpoint.body && { body: {} }) });
    const plain = await send("");
    const queried = await send("?utm_source=mail&limit=x&a=1&a=2&b=%00&forceFunctionRegion=sa-east-1");
    assert.equal(queried.status, plain.status, queried.text);
    if (plain.status >= 400) assert.equal(queried.text, plain.text);
  });

  if (route.method === "GET") continue;
  Deno.test(`${title} refuses dry_run in the query, because it would write`, async () => {
    const { token, ...credentials } = await credentialsFor(resource);
    const path = addressOf(resource.name, route.path, { token });
    const body = route.endpoint.body && !route.endpoint.bodyOptional && { body: {} };
    const reply = await call(route.method, `${path}?dry_run=true`, { ...credentials, ...body });
    assert.ok("dry_run" in assertError(reply, "validation_error"));
  });
}

for (const { resource, route, title } of endpoints) {
  if (route.method !== "GET") continue;
  const { head } = route.endpoint;
  Deno.test(`${title} answers HEAD ${head ? "as GET, without a body" : "with 405, because its GET changes something"}`, async () => {
    // Gets a key of its own for the log of requests: a shared key's calls could reach the log between HEAD and GET.
    const isLog = route.endpoint.verb === "me_requests";
    const { token, ...credentials } = await (isLog ? makeCredentials("key") : credentialsFor(resource));
    const path = addressOf(resource.name, route.path, { token });
    const reply = await call("HEAD", path, credentials);
    assert.equal(reply.text, "");
    if (!head) return assert.equal(reply.status, 405);
    const read = await call("GET", path, credentials);
    assert.equal(reply.status, read.status);
    // Compares with the body's length, because a compressed reply to GET has no Content-Length.
    const { length } = new TextEncoder().encode(read.text);
    assert.equal(reply.headers.get("Content-Length"), String(length));
  });
}

for (const resource of resources) {
  const unknown = WITHOUT_CREDENTIALS[resource.gate];
  for (const [path, methods] of byPath(await routeEntries(resource))) {
    const others = METHODS.filter((method) => !methods.has(method as "GET"));
    Deno.test(`/${resource.name}${path} answers 405 to ${others.join(", ")} and allows ${allowedMethods(methods).join(", ")} (spec 4, 7)`, async () => {
      // Callers without the scope or role get 405 too: the method is checked first.
      const { token, ...credentials } = await credentialsFor(resource, "none");
      for (const method of others) {
        const reply = await call(method, addressOf(resource.name, path, { token }), credentials);
        assertError(reply, "method_not_allowed");
        assert.equal(reply.headers.get("Allow"), allowedMethods(methods).join(", "));
      }
      const stranger = await call("PUT", addressOf(resource.name, path, { token: "x" }));
      assertError(stranger, unknown ?? "method_not_allowed");
    });
  }

  Deno.test(`/${resource.name}: an unknown path answers 404, or 405 if it fits another method, after the credential is checked (spec 4)`, async () => {
    const { token: _, ...credentials } = await credentialsFor(resource);
    for (const path of ["/a/b/c/d", `/${UNKNOWN_ID}/fly`, "/%00", "/%ff", "/..%2f"]) {
      const reply = await call("GET", `/${resource.name}${path}`, credentials);
      assert.ok(reply.status === 404 || reply.status === 405, `${path}: ${reply.status}`);
      assertError(await call("GET", `/${resource.name}${path}`), unknown ?? "not_found");
    }
  });
}
