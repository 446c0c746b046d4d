import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { makeKey } from "../support/fixtures.ts";
import { assertShown, create, eventsOf, ids, makeCompany, makeMember } from "../support/record_fixtures.ts";
import { testRecordRules } from "../support/record_rules.ts";
import { test } from "../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";

testRecordRules({
  path: CONTACTS,
  minimal: { name: "Ana" },
  limits: { name: { alsoBad: ["  "] } },
  references: { company_id: makeCompany, owner_id: makeMember },
});

test("POST /api-v1-contacts answers 201 with the id alone, and every field is read as it was written (spec 2.1, 4.2)", async ({ sql, workspace, api }) => {
  const fields = {
    phone: "+55 (11) 98765-4321",
    phone2: "2",
    whatsapp: "3",
    job_title: "Compradora",
    company_id: await makeCompany(sql, workspace),
    owner_id: await makeMember(sql, workspace),
    instagram: "@ana",
    linkedin: "in/ana",
    notes: "  como veio\n",
    custom_fields: { cor: "azul", nível: 3 },
  };
  const created = await api.post(CONTACTS, { name: " Ana Souza ", email: " Ana@Exemplo.COM.br", ...fields });
  assert.equal(created.status, 201);
  assert.deepEqual(Object.keys(created.body), ["id"]);
  const { body } = await api.get(`${CONTACTS}/${created.body.id}`);
  const { created_at, updated_at, ...rest } = body;
  assertShown(rest, {
    id: created.body.id,
    workspace_id: workspace.id,
    name: "Ana Souza",
    email: "ana@exemplo.com.br",
    ...fields,
  });
  assert.equal(created_at, updated_at);
  assert.deepEqual(await eventsOf(sql, workspace.id, "company.created"), ["contact.created"]);
});

test("POST /api-v1-contacts without a name, or with null for one, is a validation_error (spec 2.1, 4.2)", async ({ api }) => {
  for (const body of [{}, { name: null }]) {
    assert.ok("name" in assertError(await api.post(CONTACTS, body), "validation_error"));
  }
});

test("PATCH /api-v1-contacts answers with the whole contact (spec 4.2)", async ({ workspace, api }) => {
  const contact = await create(workspace.key, CONTACTS, { name: "Ana", phone: "1" });
  const { status, body } = await api.patch(`${CONTACTS}/${contact.id}`, {
    email: "B@C.com",
  });
  assert.equal(status, 200);
  assert.deepEqual(body, { ...contact, email: "b@c.com", updated_at: body.updated_at });
});

test("GET /api-v1-contacts filters by email in any case and by company_id, alone and together (spec 2.1, 4.2)", async ({ sql, workspace }) => {
  const { key } = workspace;
  const company_id = await makeCompany(sql, workspace);
  const a = await create(key, CONTACTS, { name: "A", email: "a@x.com", company_id });
  const b = await create(key, CONTACTS, { name: "B", email: "a@x.com" });
  const c = await create(key, CONTACTS, { name: "C", email: "c@x.com", company_id });
  const list = async (query: string) => ids(await client(key).get(`${CONTACTS}?${query}`));
  assert.deepEqual(await list("email=%20A@X.com"), [b.id, a.id]);
  assert.deepEqual(await list(`company_id=${company_id.toUpperCase()}`), [c.id, a.id]);
  assert.deepEqual(await list(`company_id=${company_id}&email=a@x.com`), [a.id]);
  assert.deepEqual(await list(`company_id=${company_id}&limit=1&cursor=${c.id}`), [a.id]);
  assert.deepEqual(await list("email=nobody@x.com"), []);
  for (const query of ["email=x", "email=", "company_id=x", "company_id="]) {
    assertError(await client(key).get(`${CONTACTS}?${query}`), "validation_error");
  }
});

test("A contact's owner is the one given, else the key's creator, else the oldest admin or gestor (spec 2.1, 4.2, 7)", async ({ sql, workspace }) => {
  const seller = await makeMember(sql, workspace);
  const { key } = await makeKey(sql, workspace.id, { memberId: seller });
  const given = await create(key, CONTACTS, { name: "A", owner_id: workspace.memberId });
  assert.equal(given["owner_id"], workspace.memberId);
  assert.equal((await create(key, CONTACTS, { name: "B" }))["owner_id"], seller);

  // If PATCH clears the owner, the service chooses a new one.
  const cleared = await client(key).patch(`${CONTACTS}/${given.id}`, { owner_id: null });
  assert.equal(cleared.body.owner_id, seller);

  await sql`update crm.members set is_active = false where id = ${seller}`;
  const refused = await client(key).post(CONTACTS, { name: "C", owner_id: seller });
  assert.ok("owner_id" in assertError(refused, "invalid_reference"), "not active: not a possible owner");
  assert.equal((await create(key, CONTACTS, { name: "C" }))["owner_id"], workspace.memberId);
  await sql`update crm.members set is_active = false where workspace_id = ${workspace.id}`;
  assertError(await client(key).post(CONTACTS, { name: "D" }), "no_owner_available");
});
