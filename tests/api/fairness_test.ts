import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { test } from "../support/scenario.ts";
import { openDatabase } from "../support/stack.ts";

test("a key whose calls are stuck gets 503 in bounded time, and does not delay other keys", async ({ sql }) => {
  await using holder = openDatabase();
  const [stuck, other] = [await makeWorkspace(sql), await makeWorkspace(sql)];
  await client(stuck.key).get("/api-v1-pipelines");
  await holder`begin`;
  await holder`
    select from crm.rate_limits
    where key_id = (select id from crm.api_keys where workspace_id = ${stuck.id}) for update`;
  const started = performance.now();
  const calls = Array.from({ length: 24 }, () => client(stuck.key).post("/api-v1-contacts", { name: "A" }));
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
