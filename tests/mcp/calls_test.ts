// What calling a tool does, and what the model reads about it.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { startCountingProxy } from "../../bench/harness/counting_proxy.ts";
import { startServer } from "../../bench/harness/functions.ts";
import { assertError } from "../support/client.ts";
import { makeDeal, makeKey, makeWorkspace } from "../support/fixtures.ts";
import { post, request, toolClient } from "../support/mcp.ts";
import { test } from "../support/scenario.ts";
import { functionsDatabaseUrl } from "../support/stack.ts";

test("An assistant takes a lead in, finds its contact, moves its deal and wins it", async ({ workspace }) => {
  const call = toolClient(workspace.key);
  const [, second] = workspace.stages;
  const { data: { lead } } = await call("leads_create", {
    first_name: "Ana",
    last_name: "Souza",
    email: "ana@exemplo.com.br",
    company_name: "Padaria Sol",
  });
  const { data: found } = await call("contacts_list", { q: "souza", limit: 5 });
  assert.deepEqual(found.data.map(({ id }: { id: string }) => id), [lead.contact_id]);
  const { data: moved } = await call("deals_move_stage", { id: lead.deal_id, stage_id: second.id });
  assert.equal(moved.stage_id, second.id);
  const again = await call("deals_move_stage", { id: lead.deal_id, stage_id: second.id });
  assert.deepEqual([again.data.stage_id, again.notices], [second.id, []]);
  const { data: won, notices } = await call("deals_win", { id: lead.deal_id, value: 14_000 });
  assert.deepEqual([won.status, won.value, notices], ["ganho", 14_000, []]);
  const { data: listed } = await call("deals_list", { status: ["ganho", "perdido"] });
  assert.deepEqual(listed.data.map(({ id }: { id: string }) => id), [lead.deal_id]);
});

test("An assistant sees the contacts of a deal with the deal, adds one, and reads the names of tools in errors", async ({ workspace, newDeal, api }) => {
  const call = toolClient(workspace.key);
  const { id, contactId } = await newDeal();
  const { body: { id: contact_id } } = await api.post("/api-v1-contacts", { name: "Carlos Prado" });
  const { data: added } = await call("deals_add_contact", { id, contact_id, role: "decisor" });
  assert.equal(added.name, "Carlos Prado");
  const { data: deal } = await call("deals_get", { id });
  const { added_at } = added;
  assert.deepEqual(deal.contacts, [
    { contact_id: contactId, name: "Ana", is_main: true },
    { contact_id, name: "Carlos Prado", role: "decisor", is_main: false, added_at },
  ]);
  const refused = await call("deals_remove_contact", { id, contact_id: contactId });
  assert.match(refused.data.error.details[0].message, /é o contato principal.*deals_update/i);
  const { isError } = await call("deals_remove_contact", { id, contact_id });
  assert.equal(isError, false);
  const { data } = await call("contacts_batch", { items: [{ op: "get", id }] });
  assert.equal(data.results[0].error.details[0].message, "Este id é de um negócio: use deals_get");
});

test("Repeating a creation with the same arguments creates nothing, and says so; an idempotency_key creates another record", async ({ sql, workspace }) => {
  const call = toolClient(workspace.key);
  const note = { deal_id: (await makeDeal(workspace.key)).id, body: "Ligou de volta" };
  const first = await call("notes_create", note);
  assert.deepEqual(first.notices, []);
  const again = await call("notes_create", { body: note.body, deal_id: note.deal_id });
  assert.equal(again.data.id, first.data.id);
  assert.match(again.notices.join(), /nada foi criado agora/);
  const other = await call("notes_create", { ...note, idempotency_key: "segunda" });
  assert.notEqual(other.data.id, first.data.id);
  // Another person's assistant has another key, so the same call creates another record.
  const { key } = await makeKey(sql, workspace.id);
  assert.notEqual((await toolClient(key)("notes_create", note)).data.id, first.data.id);
});

test("Repeating an upsert changes the record again, even if somebody else changed it since", async ({ workspace, api }) => {
  const call = toolClient(workspace.key);
  const args = { match_by: "external_id", external_id: "erp-1", name: "Ana", job_title: "Gerente" };
  const { data: { id } } = await call("contacts_upsert", args);
  await api.patch(`/api-v1-contacts/${id}`, { job_title: "Diretora" });
  const { data, notices } = await call("contacts_upsert", args);
  assert.deepEqual([data.id, data.job_title, notices], [id, "Gerente", []]);
});

test("What the API refuses is a result that the model can read, in Portuguese", async ({ workspace }) => {
  const call = toolClient(workspace.key);
  const unknown = await call("contacts_create", { nome: "Ana" });
  assert.equal(unknown.isError, true);
  assert.equal(unknown.data.error.code, "validation_error");
  assert.deepEqual(unknown.data.error.details, [
    { field: "nome", message: 'Campo desconhecido; talvez "name"' },
    { field: "name", message: "Campo obrigatório" },
  ]);
  assert.equal(unknown.data.error.request_id, unknown.headers.get("X-Request-Id"));
  for (
    const [name, args, field] of [
      ["contacts_get", {}, "id"],
      ["contacts_get", { id: 5 }, "id"],
      ["contacts_get", { id: "x", nome: "Ana" }, "nome"],
      ["contacts_list", { nome: "Ana" }, "nome"],
      ["deals_list", { status: ["gano"] }, "status"],
      ["contacts_list", { custom: { lojas: {} } }, "custom[lojas]"],
      ["notes_list", {}, "deal_id"],
      ["notes_create", { idempotency_key: 5 }, "idempotency_key"],
      ["notes_create", { idempotency_key: "x".repeat(201) }, "idempotency_key"],
    ] as const
  ) {
    const { isError, data } = await call(name, args);
    assert.equal(isError, true, name);
    assert.ok(
      data.error.details.some((detail: { field: string }) => detail.field === field),
      JSON.stringify(data),
    );
  }
});

test("A tool that needs an id names the argument that was sent in its place, and every other unknown argument", async ({ workspace, newDeal }) => {
  const { id: deal_id } = await newDeal();
  const { data } = await toolClient(workspace.key)("deals_update", { deal_id, amount: 5 });
  const details = data.error.details as { field: string; message: string }[];
  assert.deepEqual(details.map(({ field }) => field).sort(), ["amount", "deal_id", "id"]);
  assert.match(details.find(({ field }) => field === "deal_id")!.message, /talvez "id"/);
});

test("Without Prefer, the error for a missing field also names the unknown field sent in its place, and no other unknown field", async ({ api }) => {
  const fieldsOf = async (body: unknown) =>
    Object.keys(assertError(await api.post("/api-v1-deals", body), "validation_error"));
  assert.deepEqual(await fieldsOf({ titulo: "Plano", cor: "azul" }), ["title", "titulo"]);
  assert.deepEqual(await fieldsOf({ title: 5, valor: 5 }), ["title"]);
});

test("An id that is a path, or the address of another endpoint, reaches no other endpoint", async ({ workspace, newDeal }) => {
  const call = toolClient(workspace.key);
  const { contactId } = await newDeal();
  for (
    const [name, args] of [
      ["contacts_get", { id: `${contactId}/../../api-v1-me` }],
      ["contacts_get", { id: "." }],
      ["deals_get", { id: "summary" }],
      ["webhooks_delivery", { id: contactId, delivery_id: "../deliveries" }],
      ["webhooks_deliveries", { id: "../api-v1-webhooks" }],
    ] as const
  ) {
    const { isError, data } = await call(name, args);
    assert.deepEqual([isError, data.error?.code], [true, "not_found"], JSON.stringify(data));
  }
});

test("A repeated field and an invalid number are named, and the call reaches no verb", async ({ workspace: { key } }) => {
  const send = (args: string) =>
    post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"contacts_create","arguments":${args}}}`,
      { "X-API-Key": key },
    );
  const cases = [['{"name":"A","name":"B"}', "name"], [
    '{"name":"A","custom_fields":{"n":1e999}}',
    "custom_fields.n",
  ]];
  for (const [args, field] of cases) {
    const { body: { result } } = await send(args!);
    const { details } = result.structuredContent.error;
    assert.deepEqual([result.isError, details.map((one: { field: string }) => one.field)], [true, [field]]);
  }
});

test("Ignored arguments of a call are named, and a call without a reply body says that it is done", async ({ workspace, api, newDeal }) => {
  const call = toolClient(workspace.key);
  const { id } = await newDeal();
  await call("deals_win", { id, value: 100 });
  const { data, notices } = await call("deals_win", { id, value: 200 });
  assert.equal(data.value, 100);
  assert.match(notices.join(), /Não foram usados.*value/);
  const { body } = await api.post("/api-v1-webhooks", {
    event_types: ["deal.won"],
    target_url: "https://crm.example/x",
  });
  assert.deepEqual((await call("webhooks_delete", { id: body.id })).data, {});
});

test("A tool call counts towards the rate limit of its key, and a call over the limit is told how long to wait", async ({ sql }) => {
  const { key } = await makeWorkspace(sql, { rateLimit: 3 });
  const call = toolClient(key);
  // The key's first tool call also reads the workspace's time zone, so it counts twice.
  assert.equal((await call("contacts_list")).headers.get("RateLimit"), '"default";r=1;t=60');
  await call("contacts_list");
  const { isError, data, headers } = await call("contacts_list");
  assert.deepEqual({ isError, code: data.error.code }, { isError: true, code: "rate_limited" });
  assert.equal(data.error.retry_after, Number(headers.get("Retry-After")));
  assert.ok(data.error.retry_after > 0);
  const { status, body } = await post(request("tools/list"), { "X-API-Key": key });
  assert.deepEqual({ status, code: body.error.data.code }, { status: 200, code: "rate_limited" });
});

test("A tool call and a list of the tools send one SQL statement each, and ping sends none", async ({ workspace: { key } }) => {
  await using proxy = startCountingProxy(functionsDatabaseUrl);
  await using server = await startServer({
    DATABASE_URL: proxy.url,
    WEBHOOK_ENCRYPTION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64"),
    // Without the secret the dispatcher refuses the pokes of calls. Its statements would be counted too.
    WEBHOOK_DISPATCHER_SECRET: "",
  });
  const statements = async (method: string, params?: unknown) => {
    proxy.takeCount();
    const response = await fetch(`${server.baseUrl}/mcp`, {
      method: "POST",
      headers: { "X-API-Key": key },
      body: JSON.stringify(request(method, params)),
    });
    const { result } = await response.json();
    assert.ok(result && !result.isError, JSON.stringify(result));
    return proxy.takeCount();
  };
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "teste", version: "1" },
  };
  assert.equal(await statements("initialize", initialize), 1);
  assert.equal(await statements("tools/list"), 1);
  assert.equal(await statements("tools/call", { name: "contacts_list" }), 1);
  assert.equal(await statements("tools/call", { name: "leads_create", arguments: { first_name: "Ana" } }), 1);
  assert.equal(await statements("ping"), 0);
});
