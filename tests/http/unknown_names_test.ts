// What the details of an error say about unknown, missing and malformed fields, so that the call can be corrected.
import assert from "node:assert/strict";
import { FOUND_KINDS } from "../../supabase/functions/_shared/contract/errors/found_kinds.ts";
import { nearestName } from "../../supabase/functions/_shared/http/nearest_name.ts";
import { nameTools } from "../../supabase/functions/mcp/tools.ts";
import { assertError } from "../support/client.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

const STRICT = { Prefer: "handling=strict" };
const CONTACTS = "/api-v1-contacts";
const DEALS = "/api-v1-deals";

test("One reply names what is unknown, read-only, missing and of a wrong type in a body (spec 7)", async ({ api }) => {
  const body = { nome: "Ana", email: 5, id: UNKNOWN_ID, custom_fields: { mobile: 1 }, phne: "1", xyzzy: 1 };
  assert.deepEqual(assertError(await api.post(CONTACTS, body, STRICT), "validation_error"), {
    nome: 'Campo desconhecido; talvez "name"',
    email: "Deve ser um texto",
    id: "Só de leitura nesta operação",
    phne: 'Campo desconhecido; talvez "phone"',
    xyzzy: "Campo desconhecido",
    name: "Campo obrigatório",
  });
});

test("One reply names what is unknown, missing, repeated and of a wrong type in a query (spec 7)", async ({ api }) => {
  const reply = await api.get("/api-v1-notes?negocio=1&kind=note&kind=note&limit=0&xyzzy=1&xyzzy=2");
  assert.deepEqual(assertError(reply, "validation_error"), {
    kind: "Parâmetro repetido",
    limit: "Deve ser um número inteiro, 1 ou maior",
    deal_id: "Informe ao menos um de deal_id, company_id e contact_id",
    negocio: 'Parâmetro desconhecido; talvez "deal_id"',
    xyzzy: "Parâmetro desconhecido",
  });
});

test("One reply names what is wrong in the query and in the body of an upsert", async ({ api }) => {
  const reply = await api.post(`${CONTACTS}/upsert?match=email`, { email: 5 });
  assert.deepEqual(assertError(reply, "validation_error"), {
    match_by: 'Deve ser um de "external_id", "email", "phone"',
    match: 'Parâmetro desconhecido; talvez "match_by"',
    email: "Deve ser um texto",
  });
});

test("The error for an unknown filter of a subscription names the nearest filter that was not sent", async ({ api }) => {
  const reply = await api.post("/api-v1-webhooks", {
    target_url: "https://hooks.example.com/crm",
    event_types: ["deal.won"],
    filters: { stageId: UNKNOWN_ID, owner: UNKNOWN_ID, owner_id: UNKNOWN_ID, pipeline: UNKNOWN_ID },
  });
  assert.deepEqual(assertError(reply, "validation_error"), {
    "filters.stageId": 'Campo desconhecido; talvez "stage_id"',
    "filters.owner": "Campo desconhecido",
    "filters.pipeline": 'Campo desconhecido; talvez "pipeline_id"',
  });
});

test("A batch names the nearest field in at most 100 of its details", async ({ api }) => {
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`nam${index}`, 1]));
  const items = Array.from({ length: 20 }, () => ({ op: "create", data }));
  const { body, text } = await api.post(`${CONTACTS}/batch`, { items }, STRICT);
  const { details } = body.results[0].error;
  assert.deepEqual(details[0], { field: "items[0].nam0", message: 'Campo desconhecido; talvez "name"' });
  assert.equal(text.match(/"field"/g)!.length, 100);
  assert.ok(text.match(/talvez/g)!.length > 80);
});

Deno.test("For an unknown name, a field is suggested if it differs by a few letters or has the name as an alias", () => {
  const fields = ["name", "phone", "owner_id", "value", "tax_id", "company_id", "external_id"];
  const suggested = {
    nmae: "name",
    titulo: "name",
    Título: "name",
    celular: "phone",
    assigned_to: "owner_id",
    owner: "owner_id",
    amount: "value",
    cnpj: "tax_id",
    externalId: "external_id",
  };
  for (const [unknown, meant] of Object.entries(suggested)) assert.equal(nearestName(unknown, fields), meant);
  for (const unknown of ["stage", "x", "", "nam".repeat(10_000), "constructor"]) {
    assert.equal(nearestName(unknown, fields), null, unknown.slice(0, 20));
  }
});

Deno.test("Each operation that a message names for a kind of record has a tool", () => {
  for (const { operation } of Object.values(FOUND_KINDS)) {
    assert.match(nameTools(operation), /^[a-z]+_[a-z]+$/);
  }
  assert.equal(nameTools(`Use POST ${DEALS}/${UNKNOWN_ID}/win agora`), "Use deals_win agora");
  assert.equal(nameTools("Use POST /api-v1-none/x"), "Use POST /api-v1-none/x");
});
