import assert from "node:assert/strict";
import { assertError, client } from "../../support/client.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import { create, ids } from "../../support/record_fixtures.ts";
import { type Scenario, test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const COMPANIES = "/api-v1-companies";
const DEALS = "/api-v1-deals";

/** Returns a search of a list that answers with ids. */
function searchOf({ api }: Scenario, path: string) {
  return async (q: string, filters: Record<string, string> = {}) => {
    const reply = await api.get(`${path}?${new URLSearchParams({ q, ...filters })}`);
    assert.equal(reply.status, 200, reply.text);
    return ids(reply);
  };
}

async function createAll({ workspace }: Scenario, path: string, ...bodies: Record<string, unknown>[]) {
  const made: string[] = [];
  for (const body of bodies) made.push((await create(workspace.key, path, body)).id);
  return made;
}

test("q finds contacts by words of any field that names them, in any order, without regard to accents and case", async (scenario) => {
  const [ana, joao] = await createAll(scenario, CONTACTS, {
    name: "Ana Conceição",
    email: "compras@padaria.com",
    job_title: "Gerente",
    external_id: "cli-1042",
  }, { name: "JOÃO da Silva", email: "joao@padaria.com" });
  const search = searchOf(scenario, CONTACTS);
  for (
    const q of [
      "conceicao ana",
      "ANA CONCEIÇÃO",
      "Conceic\u0327a\u0303o",
      "ncei",
      "compras@",
      "cli-1042",
      "gerente ana",
    ]
  ) {
    assert.deepEqual(await search(q), [ana], q);
  }
  for (const q of ["joao", "joão silva", "silva padaria.com"]) assert.deepEqual(await search(q), [joao], q);
  assert.deepEqual(await search("padaria"), [joao, ana], "newest first");
  assert.deepEqual(await search("an"), [ana]);
  for (const q of ["ana silva", "conceiçãoana", "padaria xyz"]) assert.deepEqual(await search(q), [], q);
});

test("q finds a name with an apostrophe, whichever apostrophe the name and the search use", async (scenario) => {
  const apostrophes = ["'", "’", "‘", "´", "`", "ʼ"];
  const made = await createAll(
    scenario,
    CONTACTS,
    ...apostrophes.map((apostrophe) => ({ name: `José D${apostrophe}Ávila` })),
    { name: "Davi D'Avó" },
    { name: "Jose Davila" },
  );
  const search = searchOf(scenario, CONTACTS);
  const every = made.slice(0, apostrophes.length).reverse();
  for (const apostrophe of apostrophes) {
    assert.deepEqual(await search(`d${apostrophe}avila`), every, apostrophe);
    assert.deepEqual(await search(`D${apostrophe}ÁVILA josé`), every, apostrophe);
  }
});

test("q finds a phone number in any spelling, in each of the phone fields", async (scenario) => {
  const [one, two, three] = await createAll(
    scenario,
    CONTACTS,
    { name: "A", phone: "+55 (11) 97777-1234" },
    { name: "B", phone2: "11 97777.1234" },
    { name: "C", whatsapp: "5511977771234" },
    { name: "D", phone: "+55 11 96666-1234" },
  );
  const search = searchOf(scenario, CONTACTS);
  const every = [three, two, one];
  for (
    const q of [
      "(11) 97777-1234",
      "97777-1234",
      "+5511977771234",
      "11977771234",
      "+55 11 97777 1234",
      "7-7.1",
    ]
  ) {
    assert.deepEqual(await search(q), every, q);
  }
  assert.deepEqual(await search("a 97777-1234"), [one]);
});

test("q finds companies by name, legal name, tax id in any spelling, domain, e-mail, phone and external_id", async (scenario) => {
  const [sol, mar] = await createAll(scenario, COMPANIES, {
    name: "Padaria Sol",
    legal_name: "Panificação Sol Ltda.",
    tax_id: "12.ABC.345/01DE-35",
    domain: "padariasol.com.br",
    email: "contato@sol.com",
    phone: "(11) 3333-4444",
    external_id: "erp-207",
  }, { name: "Mar", tax_id: "12.345.678/0001-95" });
  const search = searchOf(scenario, COMPANIES);
  const spellings = ["12abc34501de35", "12.ABC.345/01DE-35", "345/01de"];
  const others = ["panificacao", "sol.com.br", "contato@sol", "3333-4444", "erp-207", "sol padaria ltda."];
  for (const q of [...spellings, ...others]) assert.deepEqual(await search(q), [sol], q);
  for (const q of ["12.345.678/0001-95", "12345678", "678/0001"]) assert.deepEqual(await search(q), [mar], q);
});

test("q finds deals by title and external_id", async (scenario) => {
  const [deal] = await createAll(scenario, DEALS, { title: "Pão de Mel: plano", external_id: "pedido-9" }, {
    title: "Outro",
  });
  const search = searchOf(scenario, DEALS);
  for (const q of ["pao mel", "pedido-9", "mel:"]) assert.deepEqual(await search(q), [deal], q);
});

test("q treats %, _ and a backslash as ordinary characters", async (scenario) => {
  const [percent, line, slash] = await createAll(
    scenario,
    CONTACTS,
    { name: "a%b" },
    { name: "a_c" },
    { name: "a\\d" },
    { name: "axb axc axd" },
  );
  const search = searchOf(scenario, CONTACTS);
  assert.deepEqual(await search("a%b"), [percent]);
  assert.deepEqual(await search("a_c"), [line]);
  assert.deepEqual(await search("a\\d"), [slash]);
  assert.deepEqual(await search("%%"), []);
  assert.deepEqual(await search("__"), []);
});

test("q has 2 to 100 characters, and not only accents", async ({ api }) => {
  for (const q of ["", "a", " a ", "\u0301\u0301", "x".repeat(101)]) {
    const details = assertError(
      await api.get(`${CONTACTS}?${new URLSearchParams({ q })}`),
      "validation_error",
    );
    assert.ok("q" in details, q);
  }
  for (const q of ["ab", "x".repeat(100), "a b c d"]) {
    assert.equal((await api.get(`${CONTACTS}?${new URLSearchParams({ q })}`)).status, 200, q);
  }
});

test("q combines with every other filter of the list, and has pages with cursors", async (scenario) => {
  const [sol, mar] = await createAll(scenario, COMPANIES, { name: "Sol" }, { name: "Mar" });
  const made = await createAll(
    scenario,
    CONTACTS,
    ...Array.from({ length: 9 }, (_, n) => ({ name: `Ana ${n}`, company_id: n % 3 === 0 ? sol : mar })),
    { name: "Bia", company_id: sol },
  );
  const search = searchOf(scenario, CONTACTS);
  const ofSol = [made[6], made[3], made[0]];
  assert.deepEqual(await search("ana", { company_id: sol! }), ofSol);
  assert.deepEqual(await search("ana", { company_id: sol!, updated_since: "2020-01-01" }), ofSol);
  assert.deepEqual(await search("ana", { since: "2100-01-01" }), []);
  const walked: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ q: "ana", limit: "2", ...(cursor && { cursor }) });
    const reply = await scenario.api.get(`${CONTACTS}?${query}`);
    walked.push(...ids(reply));
    cursor = reply.body.meta.next_cursor;
    assert.equal(reply.body.meta.has_more, cursor !== null);
  } while (cursor !== null);
  assert.deepEqual(walked, made.slice(0, 9).reverse());
});

test("q finds a changed record by its new text and not by its old one, whoever changed it", async (scenario) => {
  const { sql, api } = scenario;
  const [id] = await createAll(scenario, CONTACTS, { name: "Antes", phone: "11 97777-1234" });
  const search = searchOf(scenario, CONTACTS);
  await api.patch(`${CONTACTS}/${id}`, { name: "Depois", phone: null });
  assert.deepEqual(await search("antes"), []);
  assert.deepEqual(await search("97777"), []);
  assert.deepEqual(await search("depois"), [id]);
  await sql`update crm.contacts set email = 'app@x.com' where id = ${id!}`;
  assert.deepEqual(await search("app@x"), [id]);
  await sql`delete from crm.contacts where id = ${id!}`;
  assert.equal((await sql`select from crm.search_texts where id = ${id!}`).length, 0);
});

test("q finds nothing of another workspace", async (scenario) => {
  const other = await makeWorkspace(scenario.sql);
  await create(other.key, CONTACTS, { name: "Segredo" });
  assert.deepEqual(await searchOf(scenario, CONTACTS)("segredo"), []);
  assert.equal(ids(await client(other.key).get(`${CONTACTS}?q=segredo`)).length, 1);
});

test("q finds a deal by the fields of the lead that created it", async (scenario) => {
  const { body } = await scenario.api.post("/api-v1-leads", {
    first_name: "Zoé",
    phone: "(21) 98888-0000",
    company_name: "Café Açaí",
  });
  const { contact_id, company_id, deal_id } = body.lead;
  assert.deepEqual(await searchOf(scenario, CONTACTS)("zoe 98888-0000"), [contact_id]);
  assert.deepEqual(await searchOf(scenario, COMPANIES)("acai cafe"), [company_id]);
  assert.deepEqual(await searchOf(scenario, DEALS)("zoe"), [deal_id]);
});
