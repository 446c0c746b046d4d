/**
 * The Zapier app as Zapier runs it: its platform's validator, and each operation on Node against the API. The key has
 * only the scopes that the guide names.
 */
import assert from "node:assert/strict";
import { writtenFor } from "../../clients/zapier/write/written.ts";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { openPage } from "../docs/claims.ts";
import { client } from "../support/client.ts";
import { makeKey, makeWorkspace } from "../support/fixtures.ts";
import { type Message, openMailbox } from "../support/mailbox.ts";
import { deno } from "../support/run.ts";
import { type Scenario, withScenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { installZapierApp, startZapierApp, type ZapierApp, ZapierError } from "./support/zapier.ts";

const page = await openPage("zapier", {});
const scopes = [...new Set(page.pt.match(/`\w+:\w+`/g))].map((scope) => scope.slice(1, -1));

// deno-lint-ignore no-explicit-any -- each test asserts the fields that it expects
type Json = any;

/** Connects the app to the API. Returns functions that run an operation, an action and a search. */
function connect(app: ZapierApp, key: string) {
  const execute = (method: string, bundle?: Record<string, unknown>): Promise<Json> =>
    app.execute(method, { authData: { api_key: key, base_url: baseUrl }, ...bundle });
  const run = (operation: string) => (noun: string, inputData: Record<string, unknown>) =>
    execute(`${operation}_${noun}.operation.perform`, { inputData });
  return { execute, create: run("creates.create"), find: run("searches.find") };
}

/** The error that an operation reports to the platform; fails if there is none. */
async function errorOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await work.then(() => assert.fail("no error"), (error) => error);
  assert.ok(error instanceof ZapierError, error);
  return { name: error.name, ...error.content };
}

/** What Zapier hands to a trigger for a request that its hook received. */
function received({ raw, headers }: Message, subscribeData: unknown) {
  const named = [...headers].map((
    [name, value],
  ) => [`Http-${name.replace(/(?<=^|-)./g, (c) => c.toUpperCase())}`, value]);
  const content = new TextDecoder().decode(raw);
  return { subscribeData, rawRequest: { method: "POST", headers: Object.fromEntries(named), content } };
}

const installed = await installZapierApp();
let running: ZapierApp | undefined;

/** Registers a test with a new workspace and a connection to it. Its key has the scopes that the guide names. */
function test(
  title: string,
  work: (scenario: Scenario & { app: ZapierApp; zapier: ReturnType<typeof connect> }) => Promise<void>,
): void {
  Deno.test({
    name: title,
    // The app keeps running between tests.
    sanitizeResources: false,
    sanitizeOps: false,
    fn: () =>
      withScenario(async (scenario) => {
        const app = running ??= await startZapierApp(installed.folder, writtenFor("pt"));
        const { key } = await makeKey(scenario.sql, scenario.workspace.id, { scopes });
        await work({ ...scenario, app, zapier: connect(app, key) });
      }),
  });
}

Deno.test.afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await installed[Symbol.asyncDispose]();
});

Deno.test("Zapier's validator finds no fault in the app, in either language", async () => {
  for (const language of ["pt", "en"] as const) {
    await using app = await startZapierApp(installed.folder, writtenFor(language, "https://crm.example.com"));
    assert.deepEqual(await app.validate(), []);
  }
});

Deno.test("deno task zapier writes what the app reads, with the address that the connection suggests", async () => {
  const CRM_URL = "https://crm.example.com/functions/v1";
  await deno(["task", "zapier"], { env: { CRM_URL } });
  const file = new URL("../../clients/zapier/dist/written.json", import.meta.url);
  const written = JSON.parse(await Deno.readTextFile(file));
  assert.deepEqual(written, JSON.parse(JSON.stringify(writtenFor("pt", CRM_URL))));
});

Deno.test("The app has a trigger for every event, and the guide names every search and action", () => {
  for (const language of ["pt", "en"] as const) {
    const { triggers, searches, creates } = writtenFor(language);
    assert.deepEqual(triggers.map(({ event }) => event).sort(), [...EVENT_TYPES].sort());
    const rows = [...page[language].matchAll(/^\| ([^`|]+) \|.*$/gm)].map(([, first]) => first);
    const labels = [...searches, ...creates].map(({ display }) => display.label);
    for (const label of labels) assert.ok(rows.includes(label), label);
    const quoted = triggers.filter(({ display }) =>
      page[language].replaceAll("\n", " ").includes(`"${display.label}"`)
    );
    assert.equal(quoted.length, 3);
  }
});

test("A connection shows the company and the key; a wrong key is reported in the API's words", async ({ workspace, app, zapier }) => {
  const me = await zapier.execute("authentication.test");
  assert.equal(me.workspace.id, workspace.id);
  assert.equal(await zapier.execute("authentication.connectionLabel", { inputData: me }), "Teste (Teste)");
  const refused = await client("svc_wrong").get("/api-v1-me");
  const { name, message } = await errorOf(connect(app, "svc_wrong").execute("authentication.test"));
  // Compares the first line, because the platform adds lines about the call.
  assert.deepEqual([name, String(message).split("\n")[0]], ["ExpiredAuthError", refused.body.error.message]);
});

test("A redirect is an error, and does not carry the key to another host", async ({ app }) => {
  const reached: string[] = [];
  await using other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    reached.push(url);
    return Response.json({});
  });
  await using moved = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(null, { status: 307, headers: { Location: `http://127.0.0.1:${other.addr.port}/` } }),
  );
  const bundle = { authData: { api_key: "svc_key", base_url: `http://127.0.0.1:${moved.addr.port}` } };
  const { message } = await errorOf(app.execute("authentication.test", bundle));
  assert.deepEqual([message, reached], ["HTTP 307", []]);
});

test("A Zap that is on gets each lead when it arrives; turning the Zap off ends its subscription", async ({ workspace, api, zapier }) => {
  const trigger = "triggers.lead_received.operation";
  const mailbox = openMailbox();
  const subscribeData = await zapier.execute(`${trigger}.performSubscribe`, { targetUrl: mailbox.url });
  const { lead } = await zapier.create("lead", { first_name: "Ana", email: "ana@exemplo.com.br" });
  const [message] = await mailbox.waitFor(1);

  const bundle = received(message!, subscribeData);
  const [event, ...others] = await zapier.execute(`${trigger}.perform`, bundle);
  assert.deepEqual(others, []);
  assert.equal(event.id, message!.body.event_id);
  assert.equal(event.data.lead.deal_id, lead.deal_id);
  const { sample } = writtenFor("pt").triggers.find(({ key }) => key === "lead_received")!;
  assert.deepEqual(Object.keys(event).sort(), Object.keys(sample).sort());
  // The samples that the editor shows are the same events.
  await zapier.create("lead", { first_name: "Bruno" });
  const samples = await zapier.execute(`${trigger}.performList`);
  assert.deepEqual(samples.map(({ data }: Json) => data.contact.name), ["Bruno", "Ana"]);
  assert.deepEqual(samples[1], event);

  const forged = { ...bundle.rawRequest, content: bundle.rawRequest.content.replace("Ana", "Eva") };
  const { code } = await errorOf(zapier.execute(`${trigger}.perform`, { ...bundle, rawRequest: forged }));
  assert.equal(code, "invalid_signature");

  await zapier.execute(`${trigger}.performUnsubscribe`, { subscribeData, targetUrl: mailbox.url });
  const { body: { data } } = await client(workspace.key).get("/api-v1-webhooks");
  assert.deepEqual(data.map(({ is_active }: Json) => is_active), [false]);
  const arrived = (await mailbox.messages()).length;
  await api.post("/api-v1-leads", { first_name: "Caio" });
  assert.equal((await mailbox.messages()).length, arrived);
});

test("A test event starts no Zap", async ({ api, zapier }) => {
  const trigger = "triggers.deal_won.operation";
  const mailbox = openMailbox();
  const subscribeData = await zapier.execute(`${trigger}.performSubscribe`, { targetUrl: mailbox.url });
  assert.equal((await api.post(`/api-v1-webhooks/${subscribeData.id}/test`, {})).status, 200);
  const [message] = await mailbox.waitFor(1);
  assert.equal(message!.body.test, true);
  assert.deepEqual(await zapier.execute(`${trigger}.perform`, received(message!, subscribeData)), []);
});

test("Each action creates its record, with values as the editor gives them", async ({ workspace, api, zapier }) => {
  const company = await zapier.create("company", {
    name: "Padaria Sol",
    address_city: "Campinas",
    tags: ["a", "b"],
  });
  const contact = await zapier.create("contact", {
    name: "Ana",
    company_id: company.id,
    phone: "",
    custom_fields: { cor: "azul" },
  });
  const deal = await zapier.create("deal", {
    contact_id: contact.id,
    value: 12.5,
    stage_id: workspace.stages[1].id,
    expected_close_date: "2026-12-15T00:00:00-03:00",
    utm_source: "google",
  });
  const activity = await zapier.create("activity", {
    deal_id: deal.id,
    type: "ligacao",
    due_at: "2026-12-15T09:00:00-03:00",
    is_online_meeting: false,
    duration_minutes: 40,
  });
  const note = await zapier.create("note", {
    deal_id: deal.id,
    body: "Mapeie {{nome}}",
    kind: "observation",
  });

  const read = async (resource: string, { id }: Json) => (await api.get(`/api-v1-${resource}/${id}`)).body;
  const saved = await read("companies", company);
  assert.deepEqual([saved.address.city, saved.tags], ["Campinas", ["a", "b"]]);
  const person = await read("contacts", contact);
  assert.deepEqual([person.company_id, person.phone, person.custom_fields], [company.id, null, {
    cor: "azul",
  }]);
  const { value, stage_id, expected_close_date, utm } = await read("deals", deal);
  assert.deepEqual([value, stage_id, expected_close_date, utm.source], [
    12.5,
    workspace.stages[1].id,
    "2026-12-15",
    "google",
  ]);
  const { type, due_at, is_online_meeting, duration_minutes } = await read("activities", activity);
  assert.deepEqual([type, due_at, is_online_meeting, duration_minutes], [
    "ligacao",
    "2026-12-15T12:00:00.000Z",
    false,
    40,
  ]);
  const { body, kind } = await read("notes", note);
  assert.deepEqual([body, kind], ["Mapeie {{nome}}", "observation"]);
});

test("A repeated step with the trigger's id as idempotency key creates one record", async ({ api, zapier }) => {
  const input = { first_name: "Ana", idempotency_key: crypto.randomUUID() };
  const [first, again] = [await zapier.create("lead", input), await zapier.create("lead", input)];
  assert.equal(again.lead.deal_id, first.lead.deal_id);
  assert.equal((await api.get("/api-v1-deals")).body.data.length, 1);
});

test("An action that the API refuses reports every invalid field in the API's words", async ({ zapier }) => {
  const { message, code, status } = await errorOf(zapier.create("contact", { name: "Ana", email: "ana" }));
  assert.deepEqual([code, status], ["validation_error", 422]);
  assert.match(String(message), /; email: Deve ser um e-mail/);
});

test("Each search finds records by the fields that are filled in or by id, and nothing if all are empty", async ({ zapier }) => {
  const { lead } = await zapier.create("lead", {
    ...{ first_name: "Ana", email: "ana@exemplo.com.br", phone: "+55 19 91234-5678" },
    ...{ company_name: "Padaria Sol", external_id: "form-1" },
  });
  await zapier.create("lead", { first_name: "Bruno", company_name: "Oficina Lua" });
  const searches: [noun: string, id: string, inputs: Record<string, unknown>[]][] = [
    ["contact", lead.contact_id, [{ email: "ANA@exemplo.com.br" }, { phone: "(19) 91234-5678", email: "" }, {
      q: "ana",
    }]],
    ["company", lead.company_id, [{ name: "padaria sol" }, { q: "sol" }]],
    ["deal", lead.deal_id, [{ external_id: "form-1" }, {
      contact_id: lead.contact_id,
      status: ["aberto", "ganho"],
    }]],
  ];
  for (const [noun, id, inputs] of searches) {
    for (const input of [...inputs, { id }]) {
      const found = await zapier.find(noun, input);
      assert.deepEqual(found.map((record: Json) => record.id), [id], `${noun} ${JSON.stringify(input)}`);
    }
    assert.deepEqual(await zapier.find(noun, { q: "", external_id: "", id: "" }), []);
    assert.deepEqual(await zapier.find(noun, { id: crypto.randomUUID() }), []);
  }
});

test("A search goes on to later pages until it finds a record, and an empty page is not an empty result", async ({ sql, workspace: { id, memberId, stages }, zapier }) => {
  const [old] = await sql<[{ id: string }]>`
    insert into crm.deals (workspace_id, owner_id, pipeline_id, stage_id, title, status)
    select ${id}, ${memberId}, s.pipeline_id, s.id, 'Antigo', 'aberto' from crm.stages s where s.id = ${
    stages[0].id
  }
    returning id`;
  await sql`
    insert into crm.deals (workspace_id, owner_id, pipeline_id, stage_id, title, status, won_at, closed_at)
    select ${id}, ${memberId}, s.pipeline_id, s.id, 'Novo', 'ganho', now(), now()
    from crm.stages s, generate_series(1, 3000) where s.id = ${stages[0].id}`;
  const found = await zapier.find("deal", { owner_id: memberId, status: ["aberto"] });
  assert.deepEqual(found.map((record: Json) => record.id), [old.id]);
});

test("A search that gives up without a match, although there are more pages, says so in the app's language", async () => {
  await using endless = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json({ data: [], meta: { next_cursor: "next", has_more: true } }),
  );
  const authData = { api_key: "svc_key", base_url: `http://127.0.0.1:${endless.addr.port}` };
  for (const language of ["pt", "en"] as const) {
    const written = writtenFor(language);
    await using app = await startZapierApp(installed.folder, written);
    const search = app.execute("searches.find_contact.operation.perform", {
      authData,
      inputData: { q: "ana" },
    });
    assert.equal((await errorOf(search)).message, written.texts.exhausted);
  }
});

test("The editor's lists have the workspace's pipelines, the stages of the chosen one, and the active members", async ({ workspace, zapier }) => {
  const choices = (name: string, inputData = {}) =>
    zapier.execute(`triggers.${name}.operation.perform`, { inputData });
  assert.deepEqual((await choices("pipelines")).map(({ id }: Json) => id), [workspace.pipelineId]);
  const stages = workspace.stages.map(({ id, name }) => ({ id, name }));
  assert.deepEqual(await choices("stages"), stages);
  assert.deepEqual(await choices("stages", { pipeline_id: workspace.pipelineId }), stages);
  assert.deepEqual(await choices("stages", { pipeline_id: crypto.randomUUID() }), []);
  assert.deepEqual((await choices("members")).map(({ id }: Json) => id), [workspace.memberId]);
});

test("The form of an action has the workspace's defined fields, and their values arrive with their types", async ({ api, zapier }) => {
  const define = (field: Record<string, unknown>) =>
    api.post("/api-v1-workspace/custom-fields", { object_type: "deal", ...field });
  await define({ key: "n.º de lojas", label: "Lojas", type: "number" });
  await define({ key: "início", label: "Início", type: "date" });
  await define({ key: "porte", label: "Porte", type: "choice", choices: ["Pequeno", "Grande"] });
  const fields = await zapier.execute("creates.create_deal.operation.inputFields");
  const [lojas, inicio, porte, ...others] = fields.filter(({ key }: Json) =>
    key.startsWith("custom_") && key !== "custom_fields"
  );
  assert.deepEqual([lojas.label, inicio.label, porte.label, others], ["Lojas", "Início", "Porte", []]);
  assert.deepEqual([lojas.type, inicio.type, porte.choices], ["number", "datetime", ["Pequeno", "Grande"]]);
  const inputData = {
    title: "Plano",
    [lojas.key]: 3,
    [inicio.key]: "2026-12-15T00:00:00-03:00",
    [porte.key]: "Grande",
  };
  const deal = await zapier.create("deal", inputData);
  assert.deepEqual(deal.custom_fields, { "n.º de lojas": 3, "início": "2026-12-15", porte: "Grande" });
});

test("Above the rate limit Zapier learns how long to wait", async ({ sql, app }) => {
  const { key } = await makeWorkspace(sql, { rateLimit: 1 });
  const zapier = connect(app, key);
  await zapier.execute("authentication.test");
  const { name, delay } = await errorOf(zapier.execute("authentication.test"));
  assert.equal(name, "ThrottledError");
  assert.ok(Number(delay) >= 1 && Number(delay) <= 60, `${delay}`);
});
