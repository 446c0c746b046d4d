import assert from "node:assert/strict";
import { openGateway } from "../../local/gateway.ts";
import { closeDatabase } from "../../supabase/functions/_shared/database.ts";
import { startCountingProxy } from "../support/counting_proxy.ts";
import { makeDeal, makeWorkspace } from "../support/fixtures.ts";
import { makeProposal } from "../support/proposals.ts";
import { endpoints } from "../support/resources.ts";
import { databaseUrl, openDatabase } from "../support/stack.ts";

const NOWHERE = "00000000-0000-7000-8000-000000000000";

Deno.test("one SQL statement answers a request, whatever the answer", async (t) => {
  await using sql = openDatabase();
  await using proxy = startCountingProxy(databaseUrl);
  // The same gateway as the stack's, in this process, with every function on the counted connection.
  const gateway = openGateway(0);
  using _environment = setEnvironment({ DATABASE_URL: proxy.url, SUPABASE_URL: gateway.origin });
  await gateway.openFunctions();
  const { id, key } = await makeWorkspace(sql);

  async function count(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${gateway.origin}/functions/v1${path}`, {
      method,
      headers: { "X-API-Key": key, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.body?.cancel();
    return [response.status, proxy.take()];
  }
  // Opens a connection, whose own set-up is not counted to anybody.
  await count("GET", "/api-v1-pipelines");

  try {
    for (const { resource, route, title } of endpoints) {
      await t.step(title, async () => {
        const path = `/${resource.name}${route.path.replace(":id", NOWHERE)}`;
        const [, statements] = await count(route.method, path, route.endpoint.body && {});
        assert.equal(statements, 1);
      });
    }
    await t.step("a lead, and the same lead again", async () => {
      const lead = { first_name: "A", email: "a@x.com", company_name: "X", external_id: "1" };
      assert.deepEqual(await count("POST", "/api-v1-leads", lead), [201, 1]);
      assert.deepEqual(await count("POST", "/api-v1-leads", lead), [200, 1]);
    });
    await t.step("a record with Idempotency-Key, its replay, and its conflict", async () => {
      const headers = { "Idempotency-Key": "one" };
      assert.deepEqual(await count("POST", "/api-v1-contacts", { name: "A" }, headers), [201, 1]);
      assert.deepEqual(await count("POST", "/api-v1-contacts", { name: "A" }, headers), [200, 1]);
      assert.deepEqual(await count("POST", "/api-v1-contacts", { name: "B" }, headers), [422, 1]);
    });
    await t.step("404, 405, 400, 422", async () => {
      assert.deepEqual(await count("GET", "/api-v1-contacts/x"), [404, 1]);
      assert.deepEqual(await count("GET", `/api-v1-contacts/${NOWHERE}`), [404, 1]);
      assert.deepEqual(await count("PUT", "/api-v1-contacts"), [405, 1]);
      assert.deepEqual(await count("POST", "/api-v1-contacts"), [400, 1]);
      assert.deepEqual(await count("POST", "/api-v1-contacts", {}), [422, 1]);
    });
    await t.step("401 of a key nobody has; none for what is no key at all", async () => {
      assert.deepEqual(await count("GET", "/api-v1-contacts", undefined, { "X-API-Key": "svc_x" }), [401, 1]);
      assert.deepEqual(await count("GET", "/api-v1-contacts", undefined, { "X-API-Key": "x" }), [401, 0]);
    });
    await t.step("a proposal's link; none for what is no token at all", async () => {
      const deal = await makeDeal(key);
      const { link } = await makeProposal(sql, deal.id);
      assert.deepEqual(await count("GET", link), [200, 1]);
      assert.deepEqual(await count("POST", `${link}/reject`, { reason: 1 }), [422, 1]);
      assert.deepEqual(await count("POST", `${link}/accept`), [200, 1]);
      assert.deepEqual(await count("POST", `${link}/reject`), [409, 1]);
      assert.deepEqual(await count("GET", `/proposals/${"a".repeat(43)}`), [404, 1]);
      assert.deepEqual(await count("GET", "/proposals/a"), [404, 0]);
    });
    await t.step("429 and 403", async () => {
      await sql`update crm.workspaces set rate_limit_per_minute = 1 where id = ${id}`;
      assert.deepEqual(await count("GET", "/api-v1-contacts"), [429, 1]);
      await sql`update crm.workspaces set suspended = true where id = ${id}`;
      assert.deepEqual(await count("GET", "/api-v1-contacts"), [403, 1]);
    });
  } finally {
    await closeDatabase();
    await gateway.close();
  }
});

/** Sets variables that every other test file of this process sees too, until the scope ends. */
function setEnvironment(variables: Record<string, string>): Disposable {
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) {
        if (value === undefined) Deno.env.delete(name);
        else Deno.env.set(name, value);
      }
    },
  };
}
