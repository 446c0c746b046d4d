/**
 * The n8n node in a real n8n, as its users get it: the commands of the page on n8n build and install it, and a stack
 * delivers to it. `tests/n8n/` compares the written actions with the OpenAPI document.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually, pause } from "../../bench/harness/waiting.ts";
import { freePort } from "../../run/local/free_port.ts";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { openPage } from "../docs/claims.ts";
import { call } from "../support/client.ts";
import { createEmptyDatabase } from "../support/empty_database.ts";
import { openFolder } from "../support/folder.ts";
import { makeStartedDataDir } from "../support/own_stack.ts";
import { run } from "../support/run.ts";
import { installN8n, startN8n } from "./support/n8n.ts";

const EXAMPLES = join(import.meta.dirname!, "../../clients/n8n/examples");
/** The port in the page's commands. */
const PORT = "5678";
/** Fields of a deal as the workflow of `actionsOf` leaves them; `source` was a text before. */
const CHANGED = {
  value: 12500.5,
  source: null,
  expected_close_date: "2026-12-24",
  tags: ["natal", "vip"],
  custom_fields: { segmento: "padaria" },
};

/** A workflow that changes a deal, with values as n8n's forms hold them, and answers with the contacts of a search. */
function actionsOf(dealId: string) {
  const crm = (name: string, parameters: unknown) => ({
    ...{ id: name, name, parameters, type: "n8n-nodes-crm-api.crm", typeVersion: 1, position: [0, 0] },
  });
  const additionalFields = {
    ...CHANGED,
    source: "",
    expected_close_date: "2026-12-24T00:00:00",
    tags: "natal, vip",
    custom_fields: '{"segmento": "padaria"}',
  };
  const nodes = [
    {
      ...{ id: "start", name: "start", type: "n8n-nodes-base.webhook", typeVersion: 2, position: [0, 0] },
      webhookId: "valores",
      parameters: {
        path: "valores",
        httpMethod: "POST",
        responseMode: "lastNode",
        responseData: "allEntries",
      },
    },
    crm("change", { resource: "deals", operation: "update", id: dealId, additionalFields }),
    crm("list", { resource: "contacts", operation: "list", returnAll: true, filters: { q: "Pessoa" } }),
  ];
  const to = (node: string) => ({ main: [[{ node, type: "main", index: 0 }]] });
  return { name: "Valores", nodes, connections: { start: to("change"), change: to("list") }, settings: {} };
}

const page = await openPage("n8n", { sh: 3 });
const [build, startApi, start] = page.blocks.sh as [string, string, string];

Deno.test("In a real n8n, set up by the page's commands, a form's lead reaches the CRM and comes back as an event", async (t) => {
  await using cleanup = new AsyncDisposableStack();
  const { path: userFolder } = cleanup.use(await openFolder());
  const [dataDir, port] = [await makeStartedDataDir(), freePort()];
  cleanup.defer(() => Deno.remove(dataDir, { recursive: true }));

  await t.step("n8n's linter finds nothing, and the package has no dependencies", async () => {
    const { stdout, stderr } = await run("sh", ["-ec", build], { env: { N8N_USER_FOLDER: userFolder } });
    assert.doesNotMatch(stdout + stderr, /problem/);
    const installed = await Array.fromAsync(Deno.readDir(join(userFolder, ".n8n/nodes/node_modules")));
    assert.deepEqual(installed.map(({ name }) => name).filter((name) => !name.startsWith(".")), [
      "n8n-nodes-crm-api",
    ]);
  });

  const [, targets] = /^WEBHOOK_DEV_TARGETS=(\S+) deno task start\n$/.exec(startApi)!;
  const stack = await startStackProcess(dataDir, {
    WEBHOOK_DEV_TARGETS: targets!.replace(PORT, String(port)),
  });
  cleanup.defer(async () => void await stack.stop());
  const { base_url: baseUrl, demo_key: apiKey } = stack.file;
  // deno-lint-ignore no-explicit-any -- each step asserts the fields that it expects
  const api = async (method: string, path: string, body?: unknown): Promise<any> => {
    // Pauses, because the key admits 120 calls a minute, and the node uses it too.
    await pause(700);
    const reply = await call(method, path, { base: baseUrl, key: apiKey, body });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply.body;
  };
  const active = async () =>
    (await api("GET", "/api-v1-webhooks")).data.filter((one: { is_active: boolean }) => one.is_active);
  const database = cleanup.use(await createEmptyDatabase());
  await installN8n();
  const { n8n: version } =
    JSON.parse(await Deno.readTextFile(join(import.meta.dirname!, "n8n/package.json"))).dependencies;
  assert.equal(start, `npx -y -p node@24 -p n8n@${version} n8n\n`);
  const n8n = cleanup.use(await startN8n(port, userFolder, database.url));
  const data = { baseUrl: `${baseUrl}/`, apiKey };
  const credentials = { name: "CRM", type: "crmApi", data };

  await t.step("The credentials' test accepts the key, and refuses another", async () => {
    const test = async (data: unknown) =>
      (await n8n.call("POST", "/credentials/test", { credentials: { id: "", ...credentials, data } })).status;
    assert.equal(await test(data), "OK");
    assert.equal(await test({ ...data, apiKey: "svc_x" }), "Error");
  });
  const { id } = await n8n.call("POST", "/credentials", credentials);
  const example = JSON.parse(await Deno.readTextFile(join(EXAMPLES, "form-lead-note.json")));
  const workflow = await n8n.importWorkflow(example, { id, name: "CRM" });

  /** Sends the form as a browser does, and returns the notes on the new deal once there are any. */
  const send = async (name: string) => {
    const form = new FormData();
    const email = `${name.toLowerCase()}@exemplo.com.br`;
    for (const [index, value] of [name, email, "", "Padaria Sol"].entries()) {
      form.set(`field-${index}`, value);
    }
    const address = `${n8n.origin}/form/fale-com-a-gente`;
    // n8n answers the activation before it serves the form.
    const isThere = await eventually(async () => {
      const reply = await fetch(address);
      await reply.body?.cancel();
      return reply.ok;
    }, "the form");
    assert.ok(isThere);
    const sent = await fetch(address, { method: "POST", body: form });
    assert.equal(sent.status, 200, await sent.text());
    return await eventually(async () => {
      const [contact] = (await api("GET", `/api-v1-contacts?email=${email}`)).data;
      if (contact === undefined) return false;
      const [deal] = (await api("GET", `/api-v1-deals?contact_id=${contact.id}`)).data;
      const notes = (await api("GET", `/api-v1-notes?deal_id=${deal.id}`)).data;
      assert.equal(contact.phone, null);
      return notes.length > 0 && notes.map(({ body }: { body: string }) => body);
    }, `the note about ${name}: ${n8n.printed()}`);
  };

  await t.step("While the workflow is active, it writes a note for the event of each lead", async () => {
    await workflow.activate();
    assert.deepEqual(await send("Nora"), ["O n8n recebeu este lead: Nora, Formulário no n8n"]);
    const [{ event_types, target_url }] = await active();
    assert.deepEqual(event_types, ["lead.received"]);
    assert.ok(target_url.startsWith(`${n8n.origin}/webhook/`), target_url);

    const forged = await fetch(target_url, {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });
    assert.equal(forged.status, 401, await forged.text());
  });

  await t.step("Values keep their types, an empty one is null, and Return All reads every page", async () => {
    const people = Array.from({ length: 205 }, (_, index) => ({ name: `Pessoa ${index}` }));
    for (const names of [people.slice(0, 100), people.slice(100, 200), people.slice(200)]) {
      await api("POST", "/api-v1-contacts/batch", {
        items: names.map((data) => ({ op: "create", data })),
      });
    }
    const { deal_id } = (await api("POST", "/api-v1-leads", { first_name: "Rita", source: "Feira" })).lead;
    const chain = await n8n.importWorkflow(actionsOf(deal_id), { id, name: "CRM" });
    await chain.activate();
    const answer = await eventually(async () => {
      const reply = await fetch(`${n8n.origin}/webhook/valores`, { method: "POST" });
      const text = await reply.text();
      return reply.status !== 404 && text;
    }, "the webhook");
    const contacts = JSON.parse(answer);
    assert.equal(contacts.length, people.length, answer.slice(0, 500));
    const deal = await api("GET", `/api-v1-deals/${deal_id}`);
    assert.deepEqual(
      { ...deal, expected_close_date: deal.expected_close_date.slice(0, 10) },
      { ...deal, ...CHANGED },
    );
    await chain.deactivate();
  });

  await t.step("Deactivating ends the subscription, and activating again makes a new one", async () => {
    await workflow.deactivate();
    await eventually(async () => (await active()).length === 0, "the end of the subscription");
    await workflow.activate();
    assert.deepEqual(await send("Olga"), ["O n8n recebeu este lead: Olga, Formulário no n8n"]);
    assert.equal((await active()).length, 1);
    await workflow.deactivate();
    await eventually(async () => (await active()).length === 0, "the end of the subscription");
  });
});
