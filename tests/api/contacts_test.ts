import assert from "node:assert/strict";
import { client } from "../support/client.ts";
import { assertShown, create, eventsOf, ids, makeCompany } from "../support/record_fixtures.ts";
import { testRecordRules } from "../support/record_rules.ts";
import { test } from "../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";

testRecordRules({
  path: CONTACTS,
  minimal: { name: "Ana" },
  limits: { name: { alsoBad: ["  "] } },
  references: ["company_id", "owner_id"],
});

test("POST /api-v1-contacts answers 201 with the id alone; name and email are trimmed, the rest stays as written (spec 2.1, 4.2)", async ({ sql, workspace: { id: workspace_id, memberId }, api }) => {
  const kept = { phone: "+55 (11) 98765-4321", notes: "  como veio\n", custom_fields: { nível: 3 } };
  const created = await api.post(CONTACTS, { name: " Ana Souza ", email: " Ana@Exemplo.COM.br", ...kept });
  assert.equal(created.status, 201);
  assert.deepEqual(Object.keys(created.body), ["id"]);
  const { body: { created_at, updated_at, ...rest } } = await api.get(`${CONTACTS}/${created.body.id}`);
  const read = { ...kept, name: "Ana Souza", email: "ana@exemplo.com.br" };
  assertShown(rest, { id: created.body.id, workspace_id, owner_id: memberId, ...read });
  assert.equal(created_at, updated_at);
  assert.deepEqual(await eventsOf(sql, workspace_id), ["contact.created"]);

  const changed = await api.patch(`${CONTACTS}/${rest.id}`, { email: "B@C.com" });
  assert.deepEqual(changed.body, {
    ...rest,
    email: "b@c.com",
    created_at,
    updated_at: changed.body.updated_at,
  });
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
});
