// What the parameter `q` of lists finds. at_once_test.ts searches for records that have just changed.
import assert from "node:assert/strict";
import { assertError } from "../../support/client.ts";
import { makeWorkspace } from "../../support/fixtures.ts";
import { create, ids, nextMillisecond, readPages } from "../../support/record_fixtures.ts";
import { type Scenario, test } from "../../support/scenario.ts";

const CONTACTS = "/api-v1-contacts";
const COMPANIES = "/api-v1-companies";
const DEALS = "/api-v1-deals";

/** Returns a function that searches a list and returns ids. */
function searchOf({ api }: Scenario, path: string) {
  return async (q: string, filters: Record<string, string> = {}) => {
    const reply = await api.get(`${path}?${new URLSearchParams({ q, ...filters })}`);
    assert.equal(reply.status, 200, reply.text);
    return ids(reply);
  };
}

/** Creates records whose ids are in order. */
async function createAll({ api }: Scenario, path: string, bodies: Record<string, unknown>[]) {
  const made: string[] = [];
  for (const body of bodies) {
    await nextMillisecond();
    made.push((await api.post(path, body)).body.id);
  }
  return made;
}

const APOSTROPHES = ["'", "’", "‘", "´", "`", "ʼ"];

interface Case {
  title: string;
  path: string;
  /** The records, each a body of POST. */
  records: Record<string, unknown>[];
  /** Searches, with the positions of the records that they should find, newest first. */
  finds: [searches: string[], found: number[]][];
}

const cases: Case[] = [
  {
    title: "contacts by words from any identifying field, in any order, ignoring accents and case",
    path: CONTACTS,
    records: [
      {
        name: "Ana Conceição",
        email: "compras@padaria.com",
        job_title: "Gerente",
        external_id: "cli-1042",
      },
      { name: "JOÃO da Silva", email: "joao@padaria.com" },
    ],
    finds: [
      [["conceicao ana", "ANA CONCEIÇÃO", "Conceic\u0327a\u0303o", "ncei", "an"], [0]],
      [["compras@", "cli-1042", "gerente ana"], [0]],
      [["joao", "joão silva", "silva padaria.com"], [1]],
      [["padaria"], [1, 0]],
      [["ana silva", "conceiçãoana", "padaria xyz"], []],
    ],
  },
  {
    title: "a name with an apostrophe, whichever apostrophe the name or the search uses",
    path: CONTACTS,
    records: [...APOSTROPHES.map((one) => `José D${one}Ávila`), "Davi D'Avó", "Jose Davila"].map((name) => ({
      name,
    })),
    finds: [[APOSTROPHES.flatMap((one) => [`d${one}avila`, `D${one}ÁVILA josé`]), [5, 4, 3, 2, 1, 0]]],
  },
  {
    title: "a phone number in any format, in each phone field",
    path: CONTACTS,
    records: [
      { name: "A", phone: "+55 (11) 97777-1234" },
      { name: "B", phone2: "11 97777.1234" },
      { name: "C", whatsapp: "5511977771234" },
      { name: "D", phone: "+55 11 96666-1234" },
    ],
    finds: [
      [["(11) 97777-1234", "97777-1234", "+5511977771234", "11977771234"], [2, 1, 0]],
      [["+55 11 97777 1234", "7-7.1"], [2, 1, 0]],
      [["a 97777-1234"], [0]],
    ],
  },
  {
    title: "companies by name, legal name, tax id in any format, domain, e-mail, phone and external_id",
    path: COMPANIES,
    records: [
      {
        name: "Padaria Sol",
        legal_name: "Panificação Sol Ltda.",
        tax_id: "12.ABC.345/01DE-35",
        domain: "padariasol.com.br",
        email: "contato@sol.com",
        phone: "(11) 3333-4444",
        external_id: "erp-207",
      },
      { name: "Mar", tax_id: "12.345.678/0001-95" },
    ],
    finds: [
      [["12abc34501de35", "12.ABC.345/01DE-35", "345/01de"], [0]],
      [["panificacao", "sol.com.br", "contato@sol", "3333-4444", "erp-207", "sol padaria ltda."], [0]],
      [["12.345.678/0001-95", "12345678", "678/0001"], [1]],
    ],
  },
  {
    title: "deals by title and external_id",
    path: DEALS,
    records: [{ title: "Pão de Mel: plano", external_id: "pedido-9" }, { title: "Outro" }],
    finds: [[["pao mel", "pedido-9", "mel:"], [0]]],
  },
  {
    title: "%, _ and a backslash literally",
    path: CONTACTS,
    records: ["a%b", "a_c", "a\\d", "axb axc axd"].map((name) => ({ name })),
    finds: [[["a%b"], [0]], [["a_c"], [1]], [["a\\d"], [2]], [["%%", "__"], []]],
  },
];

for (const { title, path, records, finds } of cases) {
  test(`q finds ${title}`, async (scenario) => {
    const made = await createAll(scenario, path, records);
    for (const [searches, found] of finds) {
      for (const q of searches) {
        assert.deepEqual(await searchOf(scenario, path)(q), found.map((position) => made[position]), q);
      }
    }
  });
}

test("q needs 2 to 100 characters, not all of them accents", async ({ api }) => {
  const send = (q: string) => api.get(`${CONTACTS}?${new URLSearchParams({ q })}`);
  for (const q of ["", "a", " a ", "\u0301\u0301", "x".repeat(101)]) {
    assertError(await send(q), "validation_error", ["q"], q);
  }
  for (const q of ["ab", "x".repeat(100), "a b c d"]) assert.equal((await send(q)).status, 200, q);
});

test("q combines with other filters of the list, has pages with cursors, and finds nothing of another workspace", async (scenario) => {
  const other = await makeWorkspace(scenario.sql);
  await create(other.key, CONTACTS, { name: "Ana" });
  const [sol, mar] = await createAll(scenario, COMPANIES, [{ name: "Sol" }, { name: "Mar" }]);
  const ofCompanies = Array.from({ length: 9 }, (_, n) => ({
    name: `Ana ${n}`,
    company_id: n % 3 === 0 ? sol : mar,
  }));
  const made = await createAll(scenario, CONTACTS, [...ofCompanies, { name: "Bia", company_id: sol }]);
  const search = searchOf(scenario, CONTACTS);
  const ofSol = [made[6], made[3], made[0]];
  assert.deepEqual(await search("ana", { company_id: sol! }), ofSol);
  assert.deepEqual(await search("ana", { company_id: sol!, updated_since: "2020-01-01" }), ofSol);
  assert.deepEqual(await search("ana", { since: "2100-01-01" }), []);
  const pages = await readPages(scenario.api, `${CONTACTS}?q=ana&limit=2`);
  assert.deepEqual(pages.flatMap(ids), made.slice(0, 9).reverse());
});
