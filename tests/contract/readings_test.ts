// How docs/readings.md interprets the contract, where no other test checks it.
import assert from "node:assert/strict";
import { call } from "../support/client.ts";
import { eventsOf } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

test("A lead emits contact.created if it creates its contact, and not if it reuses one (spec 6.1)", async ({ sql, workspace: { id }, api }) => {
  const lead = { first_name: "Ana", email: "ana@exemplo.com.br" };
  await api.post("/api-v1-leads", lead);
  assert.deepEqual((await eventsOf(sql, id)).sort(), ["contact.created", "deal.created", "lead.received"]);
  await api.post("/api-v1-leads", lead);
  assert.equal((await eventsOf(sql, id)).filter((event) => event === "contact.created").length, 1);
});

test("A body is parsed as JSON whatever its Content-Type (spec 1)", async ({ workspace: { key }, api }) => {
  const types = ["APPLICATION/JSON; charset=utf-8", "text/plain", "application/x-www-form-urlencoded"];
  for (const type of types) {
    const reply = await api.post("/api-v1-leads", '{"first_name":"Zoë"}', { "Content-Type": type });
    assert.equal(reply.status, 201, type);
  }
  // fetch sets no Content-Type for a body of bytes.
  const body = new TextEncoder().encode('{"first_name":"Zoë"}');
  const untyped = await call("POST", "/api-v1-leads", { key, body, headers: { "Content-Type": "" } });
  assert.equal(untyped.status, 201);
});

test("POST /api-v1-webhooks accepts a target whose name is reserved and never resolves (spec 2.6)", async ({ api }) => {
  for (const host of ["hooks.test", "crm.example", "nowhere.invalid"]) {
    const subscription = { event_types: ["deal.won"], target_url: `https://${host}/hook` };
    const { status, body } = await api.post("/api-v1-webhooks", subscription);
    assert.equal(status, 201, host);
    assert.equal((await api.delete(`/api-v1-webhooks/${body.id}`)).status, 204);
  }
});
