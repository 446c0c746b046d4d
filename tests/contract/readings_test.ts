// How docs/readings.md interprets the contract, where no other test checks it.
import assert from "node:assert/strict";
import { assertError, call } from "../support/client.ts";
import { eventsOf } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

test("A lead that creates its contact emits contact.created too, and one that reuses it does not (spec 6.1)", async ({ sql, workspace: { id }, api }) => {
  const lead = { first_name: "Ana", email: "ana@exemplo.com.br" };
  await api.post("/api-v1-leads", lead);
  assert.deepEqual((await eventsOf(sql, id)).sort(), ["contact.created", "deal.created", "lead.received"]);
  await api.post("/api-v1-leads", lead);
  assert.equal((await eventsOf(sql, id)).filter((event) => event === "contact.created").length, 1);
});

test("A body is read as JSON whatever its Content-Type (spec 1)", async ({ workspace: { key }, api }) => {
  const types = [
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "text/plain",
    "application/x-www-form-urlencoded",
  ];
  for (const type of types) {
    const headers = { "Content-Type": type };
    const reply = await api.post("/api-v1-leads", '{"first_name":"Zoë"}', headers);
    assert.equal(reply.status, 201, type);
  }
  // fetch sets no Content-Type for a body of bytes.
  const bytes = new TextEncoder().encode('{"first_name":"Zoë"}');
  assert.equal(
    (await call("POST", "/api-v1-leads", { key, body: bytes, headers: { "Content-Type": "" } })).status,
    201,
  );
});

test("POST /api-v1-webhooks accepts a target whose name is reserved and never resolves (spec 2.6)", async ({ api }) => {
  for (const host of ["hooks.test", "crm.example", "nowhere.invalid"]) {
    const subscription = { event_types: ["deal.won"], target_url: `https://${host}/hook` };
    const { status, body } = await api.post("/api-v1-webhooks", subscription);
    assert.equal(status, 201, host);
    assert.equal((await api.delete(`/api-v1-webhooks/${body.id}`)).status, 204);
  }
});

test("utm values may have 2,048 characters; a lead's phone and source keep their shorter limits (spec 2.3)", async ({ api }) => {
  const utm_term = "é".repeat(2048);
  const created = await api.post("/api-v1-leads", { first_name: "Ana", utm_term, utm: { source: utm_term } });
  const deal = await api.get(`/api-v1-deals/${created.body.lead.deal_id}`);
  assert.deepEqual(deal.body.utm, { source: utm_term, term: utm_term });
  const long = {
    first_name: "Ana",
    phone: "1".repeat(41),
    source: "s".repeat(121),
    utm_term: `${utm_term}é`,
  };
  const details = assertError(await api.post("/api-v1-leads", long), "validation_error");
  assert.deepEqual(Object.keys(details).sort(), ["phone", "source", "utm_term"]);
});

test("Phone numbers and lines of a contact may have 255 characters, its addresses 2,048 (spec 2.1)", async ({ api }) => {
  const LIMITS = { phone: 255, phone2: 255, whatsapp: 255, job_title: 255, instagram: 2048, linkedin: 2048 };
  const filled = (more: number) =>
    Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, "é".repeat(limit + more)]));
  const created = await api.post("/api-v1-contacts", { name: "Ana", ...filled(0) });
  assert.equal(created.status, 201, created.text);
  const { body } = await api.get(`/api-v1-contacts/${created.body.id}`);
  for (const [name, text] of Object.entries(filled(0))) assert.equal(body[name], text, name);
  const longer = await api.post("/api-v1-contacts", { name: "Ana", ...filled(1) });
  assert.deepEqual(Object.keys(assertError(longer, "validation_error")).sort(), Object.keys(LIMITS).sort());
});
