// Which contact a lead matches, and which typed values are kept (docs/decisions/0003-leads.md).
import assert from "node:assert/strict";
import { readUntil } from "../../support/feed.ts";
import { test } from "../../support/scenario.ts";

const LEADS = "/api-v1-leads";

test("POST /api-v1-leads reuses a contact by e-mail, else by first name and phone in any format (spec 4.1)", async ({ api }) => {
  const first = await api.post(LEADS, { first_name: "Ana", email: "a@x.com", phone: "(11) 97777-1234" });
  const id = first.body.lead.contact_id;
  assert.equal(first.body.matched_by, null);

  const byEmail = await api.post(LEADS, { first_name: "Bia", email: "A@X.com" });
  assert.equal(byEmail.body.lead.contact_id, id);
  assert.equal(byEmail.body.matched_by, "email");
  assert.deepEqual(byEmail.body.created, { company: false, contact: false, deal: true });

  for (const phone of ["+5511977771234", "11 97777 1234", "0055 11 977771234", "011 97777-1234"]) {
    const byPhone = await api.post(LEADS, { first_name: "ANA", phone });
    assert.equal(byPhone.body.lead.contact_id, id, phone);
    assert.equal(byPhone.body.matched_by, "phone");
  }

  const phone = "11977771234";
  const others = {
    "another e-mail with the same phone": { first_name: "Ana", email: "c@x.com", phone },
    "another first name with the same phone": { first_name: "João", phone },
    "the same number in another country": { first_name: "Ana", phone: "+1 11977771234" },
    "a phone without digits": { first_name: "Ana", phone: "---" },
  };
  for (const [why, lead] of Object.entries(others)) {
    const { created, matched_by, differences } = (await api.post(LEADS, lead)).body;
    assert.deepEqual([created.contact, matched_by, differences], [true, null, []], why);
  }
});

const names: [contact: string, lead: { first_name: string; last_name?: string }, isSame: boolean][] = [
  ["José Lima", { first_name: "JOSE" }, true],
  ["Jose\u0301", { first_name: "José", last_name: "Lima" }, true],
  ["Ana Paula Souza", { first_name: "Ana" }, true],
  ["Ana Paula Souza", { first_name: " Ana  Paula ", last_name: "Lima" }, true],
  ["Ana", { first_name: "Ana Paula" }, true],
  ["Anabela Souza", { first_name: "Ana" }, false],
  ["Ana", { first_name: "Anabela" }, false],
  ["Maria José Souza", { first_name: "Maria Clara", last_name: "Souza" }, false],
  ["Souza Ana", { first_name: "Ana", last_name: "Souza" }, false],
];

test("POST /api-v1-leads finds a contact by phone if the first names agree", async ({ api }) => {
  for (const [index, [name, lead, isSame]] of names.entries()) {
    const phone = `11 97777-10${10 + index}`;
    const { body: { id } } = await api.post("/api-v1-contacts", { name, phone });
    const { body } = await api.post(LEADS, { ...lead, phone: `+55 ${phone}` });
    const found = [body.lead.contact_id === id, body.created.contact];
    assert.deepEqual(found, [isSame, !isSame], `${name}, ${lead.first_name}`);
  }
});

test("POST /api-v1-leads never writes the e-mail of a contact that it finds by phone", async ({ sql, api }) => {
  const { body: { id } } = await api.post("/api-v1-contacts", { name: "Ana", phone: "11 97777-1234" });
  const lead = { first_name: "Ana", email: "outra@x.com", phone: "11977771234", company_name: "Padaria" };
  const { body } = await api.post(LEADS, lead);
  assert.equal(body.lead.contact_id, id);
  assert.equal(body.matched_by, "phone");
  assert.deepEqual(body.differences, ["email"]);
  const [contact] = await sql`select email, company_id from crm.contacts where id = ${id}`;
  assert.equal(contact!["email"], null);
  assert.equal(contact!["company_id"], body.lead.company_id, "the empty company is filled in");
});

test("POST /api-v1-leads names the fields in which the lead differs from the reused contact", async ({ api }) => {
  const known = {
    first_name: "José",
    last_name: "da Silva",
    email: "jose@x.com",
    phone: "(11) 97777-1234",
    company_name: "Padaria Sol",
  };
  await api.post(LEADS, known);
  const cases: [lead: Record<string, string>, differences: string[]][] = [
    [{}, []],
    [{ first_name: "JOSE", last_name: "DA  SILVA", phone: "+5511977771234" }, []],
    [{ company_name: " padaria sol" }, []],
    [{ first_name: "Joana" }, ["first_name"]],
    [{ first_name: "José da" }, []],
    [{ last_name: "Souza" }, ["last_name"]],
    [{ last_name: "Silva" }, []],
    [{ last_name: "" }, []],
    [{ phone: "11 3333-4444" }, ["phone"]],
    [{ company_name: "Mercado Lua" }, ["company_name"]],
  ];
  const all = { first_name: "Bia", last_name: "Lima", phone: "1", company_name: "X" };
  cases.push([all, Object.keys(all)]);
  for (const [changes, differences] of cases) {
    const { body } = await api.post(LEADS, { ...known, ...changes });
    assert.equal(body.matched_by, "email");
    assert.deepEqual(body.differences, differences, JSON.stringify(changes));
  }
});

test("POST /api-v1-leads reuses no archived contact and no archived company", async ({ sql, workspace, api }) => {
  const lead = { first_name: "Ana", email: "a@x.com", phone: "11 97777-1234", company_name: "Padaria" };
  const first = await api.post(LEADS, lead);
  for (const table of ["contacts", "companies"]) {
    await sql`update ${sql(`crm.${table}`)} set archived_at = now() where workspace_id = ${workspace.id}`;
  }
  const again = await api.post(LEADS, lead);
  assert.deepEqual(again.body.created, { company: true, contact: true, deal: true });
  const byPhone = await api.post(LEADS, { first_name: "Ana", phone: "11 97777-1234" });
  assert.equal(byPhone.body.lead.contact_id, again.body.lead.contact_id);
  assert.notEqual(byPhone.body.lead.contact_id, first.body.lead.contact_id);
});

test("POST /api-v1-leads considers only the hundred oldest contacts with the lead's phone number", async ({ sql, workspace, api }) => {
  await sql`
    insert into crm.contacts (workspace_id, id, name, phone, owner_id)
    select ${workspace.id}, crm.uuid_v7(now() - n * interval '1 hour'), 'Ana ' || n, '11 3333-4444', ${workspace.memberId}
    from generate_series(1, 101) n`;
  const find = async (first_name: string) =>
    (await api.post(LEADS, { first_name, phone: "1133334444" })).body.created.contact === false;
  assert.equal(await find("Ana 101"), true);
  assert.equal(await find("Ana 2"), true);
  assert.equal(await find("Ana 1 x"), false, "Ana 1 is the newest, so she is not among the hundred oldest");
});

test("A lead's deal is titled with the typed name; the deal's GET by id, lead.received and the feed keep the typed values", async ({ sql, api }) => {
  await api.post("/api-v1-contacts", { name: "Ana antiga", email: "ana@x.com" });
  const reply = await api.post(LEADS, {
    first_name: " Ana ",
    last_name: "Souza",
    email: "ANA@x.com",
    phone: null,
    value: 10.5,
    external_id: null,
    utm_source: "google",
    utm: { campaign: null, term: "pão" },
    custom_fields: { cor: "azul", vazio: null },
  });
  const submitted = {
    first_name: "Ana",
    last_name: "Souza",
    email: "ana@x.com",
    value: 10.5,
    utm: { source: "google", term: "pão" },
    custom_fields: { cor: "azul", vazio: null },
  };
  const { deal_id, contact_id } = reply.body.lead;
  const read = async () => (await api.get(`/api-v1-deals/${deal_id}`)).body;
  const deal = await read();
  assert.equal(deal.title, "Ana Souza");
  assert.equal(deal.contact.name, "Ana antiga");
  assert.deepEqual(deal.lead, submitted);
  assert.equal("lead" in (await api.get("/api-v1-deals")).body.data[0], false, "lists do not show it");

  await api.patch(`/api-v1-deals/${deal_id}`, { title: "Outro", value: 1, custom_fields: null });
  await api.patch(`/api-v1-contacts/${contact_id}`, { email: null });
  assert.deepEqual((await read()).lead, submitted);

  const { events: [event] } = await readUntil(api, 1, { event_types: "lead.received" });
  assert.deepEqual(event!.data.submitted, submitted);
  const [delivery] = await sql`
    select crm.delivery_body(e.id, e)::json as body from crm.events e
    where e.object_id = ${deal_id} and e.event = 'lead.received'`;
  assert.deepEqual(delivery!["body"].data.submitted, submitted);
});
