// GET /api-v1-search: one search over companies, contacts and deals.
import assert from "node:assert/strict";
import { assertError, client, type Reply } from "../../support/client.ts";
import { makeKey, makeWorkspace } from "../../support/fixtures.ts";
import { create } from "../../support/record_fixtures.ts";
import { test } from "../../support/scenario.ts";

const SEARCH = "/api-v1-search";

type Found = Reply["body"];

test("One search finds companies, contacts and deals, exact names first, and contacts and deals by their company's name", async ({ sql, workspace, api }) => {
  const { key } = workspace;
  const padaria = await create(key, "/api-v1-companies", { name: "Padaria Sol" });
  const sol = await create(key, "/api-v1-companies", { name: "Sol" });
  const person = { name: "Ana", company_id: padaria.id, email: "ana@exemplo.com.br" };
  const ana = await create(key, "/api-v1-contacts", person);
  const solange = await create(key, "/api-v1-contacts", { name: "Solange" });
  const plan = await create(key, "/api-v1-deals", {
    title: "Plano anual",
    company_id: padaria.id,
    value: 100,
  });
  const roof = await create(key, "/api-v1-deals", { title: "Painel para o sol" });
  const gone = await create(key, "/api-v1-contacts", { name: "Sol Arquivado" });
  await api.post(`/api-v1-contacts/${gone.id}/archive`);
  const { key: foreign } = await makeWorkspace(sql);
  await create(foreign, "/api-v1-contacts", { name: "Sol" });
  const search = async (query: string) => (await api.get(`${SEARCH}?${query}`)).body.data;
  const idsOf = (found: Found[]) => found.map(({ id }) => id);

  const found = await search("q=SÓL");
  assert.deepEqual(idsOf(found), [sol.id, solange.id, roof.id, padaria.id, plan.id, ana.id]);
  assert.deepEqual(found.at(-1), {
    type: "contact",
    id: ana.id,
    name: "Ana",
    email: "ana@exemplo.com.br",
    phone: null,
    company: { id: padaria.id, name: "Padaria Sol" },
    status: null,
    value: null,
  });
  assert.deepEqual([found.at(-2).status, found.at(-2).value], ["aberto", 100]);
  assert.deepEqual(idsOf(await search("q=sol&types=contact")), [solange.id, ana.id]);
  assert.deepEqual(idsOf(await search("q=sol&types=deal,company&limit=2")), [sol.id, roof.id]);
  assert.deepEqual(await search("q=inexistente"), []);
  const lua = await create(key, "/api-v1-companies", { name: "Lua" });
  const newer = [];
  for (const name of ["Lua 1", "Lua"]) newer.unshift((await create(key, "/api-v1-companies", { name })).id);
  // The older of two exact names is not among the two newest matches, and is found once.
  assert.deepEqual(idsOf(await search("q=lua&limit=2")), [newer[0], lua.id]);
  assert.deepEqual(idsOf(await search("q=lua&limit=3")), [newer[0], lua.id, newer[1]]);
  // The words can be in different fields.
  assert.deepEqual(idsOf(await search("q=ana%20exemplo.com.br")), [ana.id]);
});

test("A search finds only records that the key may read, and requires q", async ({ sql, workspace, api }) => {
  const company = await create(workspace.key, "/api-v1-companies", { name: "Padaria Sol" });
  await create(workspace.key, "/api-v1-contacts", { name: "Ana", company_id: company.id });
  const plan = { title: "Plano da Padaria", company_id: company.id };
  const deal = await create(workspace.key, "/api-v1-deals", plan);
  const types = async (...scopes: string[]) => {
    const { key } = await makeKey(sql, workspace.id, { scopes });
    return (await client(key).get(`${SEARCH}?q=padaria`)).body.data.map(({ type }: Found) => type);
  };
  assert.deepEqual(await types("leads:write"), []);
  assert.deepEqual(await types("deals:read"), ["deal"]);
  assert.deepEqual(await types("contacts:read"), []);
  assert.deepEqual(await types("companies:read", "contacts:read"), ["company", "contact"]);
  const { key } = await makeKey(sql, workspace.id, { scopes: ["deals:read"] });
  const { body: { data: [found] } } = await client(key).get(`${SEARCH}?q=plano`);
  assert.deepEqual([found.id, found.company], [deal.id, null], "the key may not read the company");
  assertError(await api.get(SEARCH), "validation_error", ["q"]);
  assertError(await api.get(`${SEARCH}?q=sol&types=note`), "validation_error", ["types"]);
});
