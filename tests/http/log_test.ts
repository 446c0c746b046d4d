import assert from "node:assert/strict";
import { eventually } from "../../bench/harness/waiting.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { generateKey } from "../../supabase/functions/_shared/keys/generate_key.ts";
import { hashCredential } from "../../supabase/functions/_shared/contract/credentials.ts";
import { call } from "../support/client.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

test("a request's log line names the record that it read, changed or created", async ({ workspace: { key, id }, newDeal }) => {
  await using server = await startServer({
    DATABASE_URL: functionsDatabaseUrl,
    WEBHOOK_DISPATCHER_SECRET: "",
  });
  const deal = await newDeal();
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await call(method, path, { key, body, headers, base: server.baseUrl });
    const requestId = reply.headers.get("X-Request-Id");
    const line = await eventually(
      async () => (await server.readLog()).find((line) => line["request_id"] === requestId),
      "the request's line",
    );
    assert.equal(line["workspace_id"], id);
    return { made: reply.body, object: line["object_id"] };
  };
  const once = { "Idempotency-Key": "one" };
  const created = await send("POST", "/api-v1-contacts", { name: "A" }, once);
  assert.equal(created.object, created.made.id);
  assert.equal((await send("POST", "/api-v1-contacts", { name: "A" }, once)).object, created.made.id);
  assert.equal(
    (await send("PATCH", `/api-v1-contacts/${created.made.id}`, { name: "B" })).object,
    created.made.id,
  );
  const lead = await send("POST", "/api-v1-leads", { first_name: "A" });
  assert.equal(lead.object, lead.made.lead.deal_id);
  assert.equal((await send("POST", `/api-v1-deals/${deal.id}/win`, {})).object, deal.id);
  assert.equal((await send("GET", `/api-v1-deals/${UNKNOWN_ID}`)).object, UNKNOWN_ID);
  assert.equal((await send("GET", "/api-v1-deals/what-a-client-wrote")).object, undefined);
  assert.equal((await send("GET", "/api-v1-deals")).object, undefined);
});

test("calls without a valid key or token, and health checks, are logged as one count per second", async ({ sql, workspace: { key } }) => {
  await sql`update crm.api_keys k set revoked_at = now() from crm.key_secrets s
    where s.key_id = k.id and s.hash = decode(${hashCredential(key)}, 'hex')`;
  await using server = await startServer({ DATABASE_URL: functionsDatabaseUrl });
  const get = (path: string, key: string | null = null) => call("GET", path, { key, base: server.baseUrl });
  const calls = Array.from({ length: 40 }, () => [
    get("/api-v1-deals"),
    get("/api-v1-deals", generateKey()),
    get("/api-v1-deals", "x"),
    get("/api-v1-deals", key),
    get("/proposals/x"),
    get("/api-v1-health"),
  ]);
  await Promise.all(calls.flat());
  const counted = await eventually(
    async () => {
      const lines = await server.readLog();
      const sums: Record<string, number> = {};
      for (const { function: name, code, status, count } of lines) {
        const what = `${name} ${code ?? status}`;
        sums[what] = (sums[what] ?? 0) + (count as number);
      }
      return Object.values(sums).reduce((sum, count) => sum + count, 0) === 240 && { lines, sums };
    },
    "all to be counted",
  );
  assert.deepEqual(counted.sums, {
    "api-v1-deals missing_api_key": 40,
    "api-v1-deals invalid_api_key": 80,
    "api-v1-deals revoked_api_key": 40,
    "proposals not_found": 40,
    "api-v1-health 200": 40,
  });
  assert.ok(counted.lines.length < 40, `${counted.lines.length} lines`);
  assert.deepEqual(new Set(counted.lines.map(({ event }) => event)), new Set(["refused", "request"]));
});
