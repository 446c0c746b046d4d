import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { assertError, type Reply } from "../../support/client.ts";
import { baseUrl } from "../../support/stack.ts";
import {
  type Body,
  create,
  ids,
  makeCompany,
  makeMember,
  nextMillisecond,
  UNKNOWN_ID,
} from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const COMPANIES = "/api-v1-companies";

const namedIds = ({ body }: Reply) => body.error.details.map(({ id }: { id?: string }) => id);

async function eventsSince(sql: Sql, workspaceId: string, since: string) {
  return await sql<{ event: string; object_id: string; facts: Body }[]>`
    select event::text, object_id, facts from crm.events
    where workspace_id = ${workspaceId} and id > ${since} order by id`;
}

async function lastEvent(sql: Sql, workspaceId: string): Promise<string> {
  await nextMillisecond();
  const [row] = await sql<[{ id: string }]>`
    select id from crm.events where workspace_id = ${workspaceId} order by id desc limit 1`;
  return row.id;
}

test("A merge keeps the fields of the remaining contact, and fills its empty fields from the merged contact", async ({ sql, workspace, api }) => {
  const company_id = await makeCompany(sql, workspace);
  const owner_id = await makeMember(sql, workspace);
  const stays = await create(workspace.key, CONTACTS, {
    name: "Ana",
    email: "ana@trabalho.com",
    job_title: "Diretora",
    // An empty text counts as empty.
    phone: "",
    instagram: "",
    // A custom field that is null counts as empty too.
    custom_fields: { cor: "azul", a: 1, porte: null },
  });
  const other = await create(workspace.key, CONTACTS, {
    name: "Ana Souza",
    email: "ana@casa.com",
    phone: "+55 11 91234-5678",
    notes: "Liga às terças",
    company_id,
    owner_id,
    custom_fields: { cor: "verde", b: [2], porte: "Grande" },
    external_id: "cliente-7",
  });
  const { status, body } = await api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: other.id });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...stays,
    phone: "+55 11 91234-5678",
    notes: "Liga às terças",
    company_id,
    custom_fields: { cor: "azul", a: 1, b: [2], porte: "Grande" },
    external_id: "cliente-7",
    updated_at: body.updated_at,
  });
  assert.deepEqual((await api.get(`${CONTACTS}/${stays.id}`)).body, body);
  assert.deepEqual(ids(await api.get(`${CONTACTS}?external_id=cliente-7`)), [stays.id]);
});

test("The remaining contact keeps its external_id, and no record can take the merged contact's external_id", async ({ workspace, api }) => {
  const stays = await create(workspace.key, CONTACTS, { name: "Ana", external_id: "1" });
  const other = await create(workspace.key, CONTACTS, { name: "Ana", external_id: "2" });
  const merged = await api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: other.id });
  assert.equal(merged.body.external_id, "1");
  assert.notEqual((await api.post(CONTACTS, { name: "Bia", external_id: "2" })).status, 201);
});

test("A merge fills custom_fields as far as their limits allow", async ({ workspace, api }) => {
  const fields = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${10 + index}`, index]));
  const stays = await create(workspace.key, CONTACTS, { name: "Ana", custom_fields: fields("a", 40) });
  const other = await create(workspace.key, CONTACTS, {
    name: "Ana",
    custom_fields: { ...fields("b", 9), b00: "x".repeat(10_000) },
  });
  const { body } = await api.post(`${CONTACTS}/${stays.id}/merge`, { merge_id: other.id });
  assert.deepEqual(body.custom_fields, { ...fields("a", 40), ...fields("b", 9) });
  const patched = await api.patch(`${CONTACTS}/${stays.id}`, { custom_fields: body.custom_fields });
  assert.equal(patched.status, 200, "custom_fields written by a merge can be sent back");
});

test("A merge moves deals, activities, earlier merges and lead receipts to the remaining contact, with an event for each but the receipts", async ({ sql, workspace, api }) => {
  const lead = { first_name: "Ana", email: "ana@casa.com", external_id: "form-1" };
  const { body: { lead: { deal_id, contact_id } } } = await api.post("/api-v1-leads", lead);
  const { body: { id: first } } = await api.post(CONTACTS, { name: "Ana S." });
  await api.post(`${CONTACTS}/${contact_id}/merge`, { merge_id: first });
  const { body: activity } = await api.post("/api-v1-activities", { deal_id });
  const { body: { id: stays } } = await api.post(CONTACTS, { name: "Ana", email: "ana@trabalho.com" });
  const since = await lastEvent(sql, workspace.id);

  await api.post(`${CONTACTS}/${stays}/merge`, { merge_id: contact_id });
  const { body: deal } = await api.get(`/api-v1-deals/${deal_id}`);
  assert.deepEqual([deal.contact_id, deal.contact.id, deal.last_activity.contact_id], [stays, stays, stays]);
  assert.equal((await api.post("/api-v1-leads", lead)).body.lead.contact_id, stays);
  assert.ok((await api.get(`${CONTACTS}/${first}`)).headers.get("Location")!.endsWith(`/${stays}`));

  const events = await eventsSince(sql, workspace.id, since);
  const facts = (event: string, object: string) =>
    events.filter((row) => row.event === event && row.object_id === object).map(({ facts }) => facts);
  assert.deepEqual(facts("contact.merged", stays), [{ merged_contact_id: contact_id }]);
  const changed = (...changed_fields: string[]) => [{ changed_fields }];
  assert.deepEqual(facts("deal.updated", deal_id), changed("contact_id"));
  assert.deepEqual(facts("activity.updated", activity.id), changed("contact_id"));
  assert.deepEqual(facts("contact.updated", contact_id), changed("archived_at", "merged_into_id"));
  assert.deepEqual(facts("contact.updated", first), changed("merged_into_id"));
  assert.equal(events.length, 5, JSON.stringify(events));
});

test("A merge of companies moves contacts, deals and lead receipts, and fills the empty fields", async ({ sql, workspace, api }) => {
  const lead = { first_name: "Ana", company_name: "Padaria do Sol", external_id: "form-1" };
  const { body: { lead: { deal_id, contact_id, company_id } } } = await api.post("/api-v1-leads", lead);
  await api.patch(`${COMPANIES}/${company_id}`, {
    tax_id: "12.ABC.345/01DE-35",
    address: { city: "Campinas" },
  });
  const stays = await create(workspace.key, COMPANIES, { name: "Padaria Sol", domain: "sol.com.br" });
  const since = await lastEvent(sql, workspace.id);

  const { status, body } = await api.post(`${COMPANIES}/${stays.id}/merge`, { merge_id: company_id });
  assert.equal(status, 200);
  const { updated_at, address } = body;
  assert.deepEqual(body, { ...stays, tax_id: "12ABC34501DE35", address, updated_at });
  assert.equal(address.city, "Campinas");
  assert.equal((await api.get(`/api-v1-deals/${deal_id}`)).body.company.id, stays.id);
  assert.equal((await api.get(`${CONTACTS}/${contact_id}`)).body.company_id, stays.id);
  assert.equal((await api.post("/api-v1-leads", lead)).body.lead.company_id, stays.id);
  const events = (await eventsSince(sql, workspace.id, since)).map(({ event, object_id, facts }) =>
    [event, object_id, (facts["changed_fields"] as string[]).join()].join(" ")
  );
  assert.deepEqual(
    events.sort(),
    [
      `company.updated ${company_id} archived_at,merged_into_id`,
      `company.updated ${stays.id} address,tax_id`,
      `contact.updated ${contact_id} company_id`,
      `deal.updated ${deal_id} company_id`,
    ].sort(),
  );
});

test("After a merge no row of any table refers to the merged record", async ({ sql, api }) => {
  const references = await sql<{ table: string; column: string; to: string }[]>`
    select c.conrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as to
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[2]
    where c.contype = 'f' and c.confrelid in ('crm.contacts'::regclass, 'crm.companies'::regclass)
      and a.attname <> 'merged_into_id'`;
  assert.deepEqual(references.map(({ table, column }) => `${table} ${column}`).sort(), [
    "crm.activities contact_id",
    "crm.contacts company_id",
    "crm.deal_contacts contact_id",
    "crm.deals company_id",
    "crm.deals contact_id",
    "crm.lead_receipts company_id",
    "crm.lead_receipts contact_id",
  ], "add a row for a new reference below");
  const sent = { first_name: "Ana", company_name: "Padaria", external_id: "1" };
  const { body: { lead } } = await api.post("/api-v1-leads", sent);
  await api.post("/api-v1-activities", { deal_id: lead.deal_id });
  await api.post(`/api-v1-deals/${lead.deal_id}/contacts`, { contact_id: lead.contact_id, role: "decisor" });
  const gone: Record<string, string> = { "crm.contacts": lead.contact_id, "crm.companies": lead.company_id };
  const count = () =>
    Promise.all(
      references.map(async ({ table, column, to }) =>
        (await sql.unsafe(`select from ${table} where ${column} = '${gone[to]}'`)).length
      ),
    );
  const control = "control: each column refers to the record before the merge";
  assert.deepEqual(await count(), references.map(() => 1), control);
  const { body: contact } = await api.post(CONTACTS, { name: "Ana" });
  const { body: company } = await api.post(COMPANIES, { name: "Padaria" });
  await api.post(`${CONTACTS}/${contact.id}/merge`, { merge_id: lead.contact_id });
  await api.post(`${COMPANIES}/${company.id}/merge`, { merge_id: lead.company_id });
  assert.deepEqual(await count(), references.map(() => 0));
});

for (const [path, one] of [[CONTACTS, "contact"], [COMPANIES, "company"]] as const) {
  test(`GET of a merged ${one} answers 301 with the address of the remaining ${one}, and any other call 409 with the remaining id (spec 7)`, async ({ workspace, api }) => {
    const stays = await create(workspace.key, path, { name: "A" });
    const other = await create(workspace.key, path, { name: "B" });
    await api.post(`${path}/${stays.id}/merge`, { merge_id: other.id });
    const third = await create(workspace.key, path, { name: "C" });
    const read = await api.get(`${path}/${other.id}`);
    assertError(read, "merged");
    assert.deepEqual(namedIds(read), [stays.id]);
    const location = read.headers.get("Location")!;
    assert.ok(location.endsWith(`/functions/v1${path}/${stays.id}`), location);
    const calls = [
      api.patch(`${path}/${other.id}`, { notes: "x" }),
      api.post(`${path}/${other.id}/archive`),
      api.post(`${path}/${other.id}/restore`),
      api.post(`${path}/${other.id}/merge`, { merge_id: third.id }),
      ...(one === "contact" ? [api.post(`${path}/${other.id}/erase`)] : []),
    ];
    for (const reply of await Promise.all(calls)) {
      assertError(reply, "record_merged");
      assert.deepEqual(namedIds(reply), [stays.id]);
      // A client would follow a Location, and take the reply to its GET for success.
      assert.equal(reply.headers.get("Location"), null);
    }
    const headers = { "X-API-Key": workspace.key };
    const followed = await (await fetch(`${baseUrl}${path}/${other.id}`, { headers })).json();
    assert.equal(followed.id, stays.id, "a client that follows redirects reads the remaining record");
  });

  test(`POST ${path}/:id/merge refuses the record itself, unknown records and merged records, and names them`, async ({ workspace, api }) => {
    const a = await create(workspace.key, path, { name: "A" });
    const b = await create(workspace.key, path, { name: "B" });
    const merge = (id: string, merge_id?: string | null) => api.post(`${path}/${id}/merge`, { merge_id });
    for (const wrong of [a.id, undefined, null]) {
      assertError(await merge(a.id, wrong), "validation_error", ["merge_id"]);
    }
    assertError(await merge(a.id, UNKNOWN_ID), "invalid_reference", ["merge_id"]);
    await merge(a.id, b.id);
    const c = await create(workspace.key, path, { name: "C" });
    const elsewhere = await merge(c.id, b.id);
    assertError(elsewhere, "invalid_reference", ["merge_id"]);
    assert.deepEqual(namedIds(elsewhere), [a.id]);
  });

  test(`A repeated POST ${path}/:id/merge answers with the ${one} and changes nothing`, async ({ sql, workspace, api }) => {
    const b = await create(workspace.key, path, { name: "B", instagram: "@b" });
    const a = await create(workspace.key, path, { name: "A" });
    const stays = await create(workspace.key, path, { name: "S" });
    const merge = (id: string, merge_id: string) => api.post(`${path}/${id}/merge`, { merge_id });
    assert.equal((await merge(a.id, b.id)).body.instagram, "@b");
    await api.patch(`${path}/${a.id}`, { instagram: null });
    const { body } = await api.get(`${path}/${a.id}`);
    const since = await lastEvent(sql, workspace.id);
    const again = await merge(a.id, b.id);
    assert.deepEqual([again.status, again.body], [200, body], "a field cleared since is not filled again");
    assert.equal((await eventsSince(sql, workspace.id, since)).length, 0);
    await merge(stays.id, a.id);
    assert.equal((await merge(stays.id, b.id)).status, 200, "B was merged into A, and A into S");
  });
}
