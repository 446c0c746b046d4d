import assert from "node:assert/strict";
import type { ErrorCode } from "../../../supabase/functions/_shared/contract/errors.ts";
import { assertError, client } from "../../support/client.ts";
import { fieldLimits } from "../../support/field_limits.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { eventsOf, UNKNOWN_ID } from "../../support/record_fixtures.ts";
import { assertLimits } from "../../support/record_rules.ts";
import { bodyOf } from "../../support/resources.ts";
import { test } from "../../support/scenario.ts";

const LEADS = "/api-v1-leads";

test("POST /api-v1-leads creates a contact and a deal, with company_name also a company, and says which are new (spec 2.3, 2.4, 3)", async ({ sql, workspace, api }) => {
  const reply = await api.post(LEADS, {
    first_name: " Ana ",
    last_name: "Souza",
    email: "Ana@Exemplo.COM.br",
    phone: "+55 (11) 98765-4321",
    company_name: "Padaria do Zé",
    external_id: "form-1",
    value: 1234.56,
    recurring_value: 0.1,
    source: "site",
    custom_fields: { cor: "azul", nível: 3 },
  });
  assert.equal(reply.status, 201);
  assert.equal(reply.body.idempotent, false);
  assert.deepEqual(reply.body.created, { company: true, contact: true, deal: true });
  const { lead } = reply.body;
  const { id: workspace_id, pipelineId: pipeline_id, stages: [{ id: stage_id }], memberId: owner_id } =
    workspace;
  const { company_id, contact_id, deal_id, created_at: _, ...rest } = lead;
  assert.deepEqual(rest, { workspace_id, status: "aberto", pipeline_id, stage_id, owner_id });

  const [row] = await sql`
    select crm.contact_json(c) as contact, crm.company_json(o) as company, crm.deal_json(d) as deal
    from crm.deals d
    join crm.contacts c on (c.workspace_id, c.id) = (d.workspace_id, d.contact_id)
    join crm.companies o on (o.workspace_id, o.id) = (d.workspace_id, d.company_id)
    where d.id = ${deal_id}`;
  const { contact, company, deal } = row!;
  assert.deepEqual(
    [contact.id, contact.name, contact.email, contact.phone, contact.company_id, company.name],
    [contact_id, "Ana Souza", "ana@exemplo.com.br", "+55 (11) 98765-4321", company_id, "Padaria do Zé"],
  );
  assert.deepEqual(
    [deal.title, deal.value, deal.recurring_value, deal.source, deal.external_id, deal.custom_fields],
    ["Ana Souza", 1234.56, 0.1, "site", "form-1", { cor: "azul", nível: 3 }],
  );
  const { body } = await api.post(LEADS, { first_name: "Só" });
  assert.equal(body.lead.company_id, null);
  assert.deepEqual(body.created, { company: false, contact: true, deal: true });
});

test("POST /api-v1-leads with a known external_id answers 200 with the ids of the original; in another workspace the external_id is free (spec 2.4, 4.1, 6.1)", async ({ sql, api }) => {
  const first = await api.post(LEADS, { first_name: "Ana", company_name: "A", external_id: "x" });
  // Removes the deal's contact and company: the repeated reply must still have their ids.
  await sql`update crm.deals set contact_id = null, company_id = null where id = ${first.body.lead.deal_id}`;
  const second = await api.post(LEADS, {
    first_name: "Outra",
    email: "outra@x.com",
    company_name: "B",
    external_id: "x",
  });
  assert.equal(second.status, 200);
  assert.equal(second.body.idempotent, true);
  assert.deepEqual(second.body.lead, first.body.lead);
  assert.deepEqual(second.body.created, { company: false, contact: false, deal: false });
  const [count] =
    await sql`select count(*)::int as n from crm.contacts where workspace_id = ${first.body.lead.workspace_id}`;
  assert.equal(count!["n"], 1);

  const elsewhere = client((await makeWorkspace(sql)).key);
  const other = await elsewhere.post(LEADS, { first_name: "Ana", company_name: "A", external_id: "x" });
  assert.deepEqual([other.status, other.body.created], [201, { company: true, contact: true, deal: true }]);
});

test("POST /api-v1-leads reuses a company by name, regardless of case and surrounding whitespace (spec 2.3, 4.1)", async ({ api }) => {
  const first = await api.post(LEADS, { first_name: "A", company_name: "AÇÃO Ltda" });
  // The last spelling is decomposed Unicode, which macOS may send.
  for (const spelling of ["ação ltda", "  Ação LTDA ", "AÇÃO Ltda".normalize("NFD")]) {
    const reply = await api.post(LEADS, { first_name: "B", company_name: spelling });
    assert.equal(reply.body.lead.company_id, first.body.lead.company_id, spelling);
  }
  const other = await api.post(LEADS, { first_name: "C", company_name: "Acao Ltda" });
  assert.equal(other.body.created.company, true);
});

test("POST /api-v1-leads fills in empty fields of a reused contact and never overwrites (spec 4.1)", async ({ sql, api }) => {
  const first = await api.post(LEADS, { first_name: "Ana", email: "a@x.com" });
  await api.post(LEADS, {
    first_name: "Outro",
    last_name: "Nome",
    email: "a@x.com",
    phone: "11 2",
    company_name: "X",
  });
  await api.post(LEADS, { first_name: "Ana", email: "a@x.com", phone: "99 9", company_name: "Y" });
  const [contact] = await sql`select * from crm.contacts where id = ${first.body.lead.contact_id}`;
  const [company] = await sql`select name from crm.companies where id = ${contact!["company_id"]}`;
  assert.equal(contact!["name"], "Ana");
  assert.equal(contact!["phone"], "11 2");
  assert.equal(company!["name"], "X");
});

test("POST /api-v1-leads: an empty phone counts as absent, and a contact with an empty phone gets the lead's (spec 4.1)", async ({ api }) => {
  for (
    const created of [
      (await api.post(LEADS, { first_name: "Ana", email: "a@x.com", phone: " " })).body.lead.contact_id,
      (await api.post("/api-v1-contacts", { name: "Bia", email: "b@x.com", phone: "" })).body.id,
    ]
  ) {
    const path = `/api-v1-contacts/${created}`;
    const { body: { name, email, updated_at } } = await api.get(path);
    await api.post(LEADS, { first_name: name, email, phone: "" });
    assert.equal((await api.get(path)).body.updated_at, updated_at, "nothing was filled in");
    const { body } = await api.post(LEADS, { first_name: name, email, phone: "(11) 97777-1234" });
    assert.deepEqual([body.lead.contact_id, body.differences], [created, []]);
    assert.equal((await api.get(path)).body.phone, "(11) 97777-1234");
  }
});

test("A lead emits contact.created if it creates its contact, and not if it reuses one (spec 6.1)", async ({ sql, workspace: { id }, api }) => {
  const lead = { first_name: "Ana", email: "ana@exemplo.com.br" };
  await api.post(LEADS, lead);
  assert.deepEqual((await eventsOf(sql, id)).sort(), ["contact.created", "deal.created", "lead.received"]);
  await api.post(LEADS, lead);
  assert.equal((await eventsOf(sql, id)).filter((event) => event === "contact.created").length, 1);
});

test("POST /api-v1-leads moves top-level utm_* fields into utm, whose own values win (spec 2.3)", async ({ sql, api }) => {
  const reply = await api.post(LEADS, {
    first_name: "A",
    utm: { source: "dentro" },
    utm_source: "raiz",
    utm_medium: "cpc",
    utm_campaign: "c",
    utm_term: "t",
    utm_content: "n",
  });
  const [deal] = await sql`select utm from crm.deals where id = ${reply.body.lead.deal_id}`;
  assert.deepEqual(deal!["utm"], { source: "dentro", medium: "cpc", campaign: "c", term: "t", content: "n" });
  assert.equal(reply.headers.get("X-Ignored-Fields"), null);
});

test("POST /api-v1-leads: the owner is the given member, else the key's creator, else the oldest admin or gestor (spec 4.1, 7)", async ({ sql, workspace }) => {
  const other = await makeWorkspace(sql);
  const member = async (role: string, active = true) => {
    const [row] = await sql<[{ id: string }]>`
      insert into crm.members (workspace_id, name, email, role, is_active)
      values (${workspace.id}, ${role}, ${crypto.randomUUID() + "@x.com"}, ${role}, ${active}) returning id`;
    return row.id;
  };
  const seller = await member("vendedor");
  const inactive = await member("admin", false);
  const manager = await member("gestor");
  const { key } = await makeKey(sql, workspace.id, { memberId: seller });
  const owner = async (owner_id?: string) =>
    (await client(key).post(LEADS, { first_name: "A", ...(owner_id && { owner_id }) })).body.lead.owner_id;

  assert.equal(await owner(manager), manager);
  assert.equal(await owner(), seller);
  assert.equal(await owner(other.memberId), seller, "a member of another workspace is ignored");
  assert.equal(await owner(inactive), seller);
  await sql`update crm.members set is_active = false where id in (${seller}, ${workspace.memberId})`;
  assert.equal(await owner(), manager);
  await sql`update crm.members set is_active = false where id = ${manager}`;
  await sql`update crm.members set is_active = true, role = 'vendedor' where id = ${inactive}`;
  assertError(await client(key).post(LEADS, { first_name: "A" }), "owner_unresolved");
});

test("POST /api-v1-leads: pipeline and stage must be active and belong to the workspace (spec 2.3, 4.1, 7)", async ({ sql, workspace, api }) => {
  const other = await makeWorkspace(sql);
  const [, second] = workspace.stages;
  const given = await api.post(LEADS, {
    first_name: "A",
    pipeline_id: workspace.pipelineId,
    stage_id: second.id,
  });
  assert.equal(given.body.lead.stage_id, second.id);

  const refuses = async (place: object, code: ErrorCode) => {
    const details = assertError(await api.post(LEADS, { first_name: "A", ...place }), code);
    if (Object.keys(place).length > 0) assert.deepEqual(Object.keys(details), Object.keys(place));
  };
  for (const pipeline_id of [UNKNOWN_ID, other.pipelineId]) {
    await refuses({ pipeline_id }, "pipeline_not_found");
  }
  for (const stage_id of [UNKNOWN_ID, other.stages[0].id]) await refuses({ stage_id }, "stage_not_found");
  await sql`update crm.stages set is_active = false where id = ${workspace.stages[0].id}`;
  await refuses({ stage_id: workspace.stages[0].id }, "stage_not_found");
  assert.equal((await api.post(LEADS, { first_name: "A" })).body.lead.stage_id, second.id);
  await sql`update crm.stages set is_active = false where workspace_id = ${workspace.id}`;
  await refuses({}, "pipeline_has_no_stage");
  await sql`update crm.pipelines set is_active = false where workspace_id = ${workspace.id}`;
  await refuses({}, "no_default_pipeline");
  await refuses({ pipeline_id: workspace.pipelineId }, "pipeline_not_found");
});

test("A refused POST /api-v1-leads writes nothing (spec 4.1)", async ({ sql, workspace, api }) => {
  await sql`update crm.members set is_active = false where workspace_id = ${workspace.id}`;
  const refused = await api.post(LEADS, { first_name: "A", company_name: "X", external_id: "e" });
  assertError(refused, "owner_unresolved");
  const [left] = await sql`
    select (select count(*) from crm.companies where workspace_id = ${workspace.id})
         + (select count(*) from crm.contacts where workspace_id = ${workspace.id})
         + (select count(*) from crm.lead_receipts where workspace_id = ${workspace.id}) as n`;
  assert.equal(Number(left!["n"]), 0);
  await sql`update crm.members set is_active = true where workspace_id = ${workspace.id}`;
  assert.equal((await api.post(LEADS, { first_name: "A", external_id: "e" })).status, 201);
});

test("POST /api-v1-leads accepts each field within its limits, and names all fields beyond their limits in one error (spec 2.3, 4.1, 7, 8)", ({ api }) =>
  assertLimits(
    fieldLimits(bodyOf(LEADS, "POST", "/")),
    (body) => api.post(LEADS, { first_name: "A", ...body }),
  ));
