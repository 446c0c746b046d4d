import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { assertShown, create, eventsOf, ids, makeMember } from "../support/record_fixtures.ts";
import { testRecordRules } from "../support/record_rules.ts";
import { test } from "../support/scenario.ts";

const COMPANIES = "/api-v1-companies";

testRecordRules({
  path: COMPANIES,
  minimal: { name: "Padaria" },
  limits: {
    name: { alsoBad: ["  "] },
    // "--/." is nothing but punctuation, which is removed.
    tax_id: { good: ["12ABC34501DE35", "1".repeat(40), null], bad: ["", "--/.", "1".repeat(41), 5, {}] },
    domain: { good: ["x.com", "a".repeat(255), null] },
  },
  references: { owner_id: makeMember },
});

test("POST /api-v1-companies answers 201 with the whole company, every field as it was written (spec 2.7, 4.6)", async ({ sql, workspace, api }) => {
  const fields = {
    legal_name: "Padaria do Zé Ltda",
    website: "https://www.padaria.com.br/Zé",
    phone: "+55 11 1111-1111",
    industry: "Alimentos",
    employee_count: 12,
    linkedin: "company/padaria",
    instagram: "@padaria",
    address: {
      street: "Rua A",
      number: "10-B",
      complement: null,
      district: "Centro",
      city: "São Paulo",
      state: "SP",
      postal_code: "01000-000",
      country: "BR",
    },
    owner_id: await makeMember(sql, workspace),
    notes: "  como veio\n",
    custom_fields: { cor: "azul", lista: [1, null] },
  };
  const created = await api.post(COMPANIES, {
    name: " Padaria do Zé ",
    tax_id: "12.abc.345/01de-35",
    domain: " Padaria.COM.br ",
    email: "Contato@Padaria.com.br",
    ...fields,
  });
  assert.equal(created.status, 201);
  const { id, created_at, updated_at, ...rest } = created.body;
  assertShown(rest, {
    workspace_id: workspace.id,
    name: "Padaria do Zé",
    tax_id: "12ABC34501DE35",
    domain: "padaria.com.br",
    email: "contato@padaria.com.br",
    ...fields,
  });
  assert.equal(created_at, updated_at);
  const read = await api.get(`${COMPANIES}/${id}`);
  assert.equal(read.text, created.text);
  assert.deepEqual(await eventsOf(sql, workspace.id), ["company.created"]);
});

test("POST /api-v1-companies without a name is a validation_error; unknown lines of an address are ignored by name", async ({ api }) => {
  for (const body of [{}, { name: null }]) {
    assert.ok("name" in assertError(await api.post(COMPANIES, body), "validation_error"));
  }
  const reply = await api.post(COMPANIES, { name: "A", address: { city: "X", planet: "Y" } });
  assert.equal(reply.headers.get("X-Ignored-Fields"), "address.planet");
  assert.deepEqual(reply.body.address, { city: "X" });
});

test("PATCH /api-v1-companies answers with the whole company and replaces an address as a whole (spec 4.6)", async ({ workspace: { key }, api }) => {
  const company = await create(key, COMPANIES, { name: "A", phone: "1", address: { city: "X", state: "Y" } });
  const { status, body } = await api.patch(`${COMPANIES}/${company.id}`, {
    address: { city: "Z" },
    tax_id: "a-1",
  });
  assert.equal(status, 200);
  assert.deepEqual(body, { ...company, address: { city: "Z" }, tax_id: "A1", updated_at: body.updated_at });
});

test("GET /api-v1-companies filters by name in any case, domain, tax_id in any spelling and owner_id (spec 4.6)", async ({ sql, workspace }) => {
  const { key } = workspace;
  const owner_id = await makeMember(sql, workspace);
  const a = await create(key, COMPANIES, { name: "AÇÃO", domain: "x.com", tax_id: "12.345.678/0001-95" });
  const b = await create(key, COMPANIES, { name: "Ação", domain: "X.com", owner_id });
  const c = await create(key, COMPANIES, { name: "Acao", tax_id: "12345678000195", owner_id });
  const list = async (query: Record<string, string>) =>
    ids(await client(key).get(`${COMPANIES}?${new URLSearchParams(query)}`));
  assert.deepEqual(await list({ name: " ação " }), [b.id, a.id]);
  assert.deepEqual(await list({ name: "AÇÃO".normalize("NFD") }), [b.id, a.id]);
  assert.deepEqual(await list({ name: "Açã" }), []);
  assert.deepEqual(await list({ domain: "X.COM" }), [b.id, a.id]);
  for (const tax_id of ["12.345.678/0001-95", "12345678000195", "12 345 678 0001 95"]) {
    assert.deepEqual(await list({ tax_id }), [c.id, a.id], tax_id);
  }
  assert.deepEqual(await list({ owner_id }), [c.id, b.id]);
  assert.deepEqual(await list({ owner_id, domain: "x.com" }), [b.id]);
  assert.deepEqual(await list({ owner_id, name: "AÇÃO", domain: "x.com", tax_id: "1" }), []);
  assert.deepEqual(await list({ owner_id, limit: "1", cursor: c.id }), [b.id]);
  for (const query of ["name=", "tax_id=.", "owner_id=x", `domain=${"a".repeat(256)}`]) {
    assertError(await client(key).get(`${COMPANIES}?${query}`), "validation_error");
  }
});

test("A company without an owner gets one, and is refused with no_owner_available where no member can own it (spec 7)", async ({ sql, workspace: { id, key, memberId }, api }) => {
  assert.equal((await create(key, COMPANIES, { name: "A" }))["owner_id"], memberId);
  await sql`update crm.members set is_active = false where workspace_id = ${id}`;
  assertError(await api.post(COMPANIES, { name: "B" }), "no_owner_available");
  assertError(await api.post(COMPANIES, { name: "B", owner_id: memberId }), "invalid_reference");
});
