// Runs the relay of the page leads-from-a-form, with a key that may only send leads, and sends it what a form sends.
import assert from "node:assert/strict";
import { freePort } from "../../run/local/free_port.ts";
import { makeKey } from "../support/fixtures.ts";
import type { Scenario } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";
import { node } from "./guide.ts";
import { openReader, type Reader } from "./reader.ts";

test("The form's command sends one lead however often it is repeated, with its campaign", async ({ api, relay }) => {
  await using _ = await relay.start();
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await relay.reader.run(relay.command), ["Obrigado! Entraremos em contato."]);
  }
  const { data } = (await api.get("/api-v1-deals")).body;
  assert.equal(data.length, 1);
  const { body } = await api.get(`/api-v1-deals/${data[0].id}`);
  assert.deepEqual(body.lead, {
    first_name: "Ana",
    email: "ana@exemplo.com.br",
    external_id: "site-6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    source: "Site",
    utm: { source: "google" },
  });
  assert.deepEqual(relay.reader.list("queue"), []);
});

test("The relay says what to correct in a lead that is refused, and does not send it again", async ({ api, relay }) => {
  await using running = await relay.start();
  const reply = await relay.send({ first_name: "Ana", email: "ana" });
  assert.equal(reply.status, 422);
  assert.match(await reply.text(), /\nE-mail: Deve ser um e-mail válido$/);
  await running.until("Recusado, ver refused/");
  assert.deepEqual([relay.reader.list("queue").length, relay.reader.list("refused").length], [0, 1]);
  assert.equal((await relay.send({ first_name: "Ana", email: "ana@exemplo.com.br" })).status, 200);
  assert.equal((await api.get("/api-v1-deals")).body.data.length, 1);
  // After a double click the visitor sees the answer to the second call, so both calls must report the error.
  const twice = { email: "bia@exemplo.com.br", form_id: crypto.randomUUID() };
  const replies = await Promise.all([relay.send(twice), relay.send(twice)]);
  assert.deepEqual(replies.map(({ status }) => status), [422, 422]);
  assert.match(await replies[0]!.text(), /\nNome: Campo obrigatório$/);
  assert.deepEqual([relay.reader.list("queue").length, relay.reader.list("refused").length], [0, 2]);
});

test("The relay drops leads from bots, and data that is not a lead", async ({ api, relay }) => {
  await using _ = await relay.start();
  const trapped = await relay.send({ first_name: "Robô", website: "https://spam.example" });
  assert.deepEqual([trapped.status, await trapped.text()], [200, "Obrigado!"]);
  assert.equal((await fetch(`${relay.origin}/`)).status, 404);
  await assert.rejects(relay.send({ first_name: "A".repeat(30_000) }));
  assert.deepEqual([relay.reader.list("queue"), relay.reader.list("refused")], [[], []]);
  assert.equal((await api.get("/api-v1-deals")).body.data.length, 0);
});

test("A lead whose id cannot be a file name gets an id from the relay", async ({ api, relay }) => {
  await using _ = await relay.start();
  assert.equal((await relay.send({ first_name: "Ana", form_id: "../../first_call" })).status, 200);
  const [deal] = (await api.get("/api-v1-deals")).body.data;
  assert.match(deal.external_id, /^site-[0-9a-f-]{36}$/);
});

const failures = { "is away": { CRM_URL: "http://127.0.0.1:1" }, "refuses the key": { CRM_KEY: "svc_x" } };
for (const [title, env] of Object.entries(failures)) {
  test(`A lead that arrives while the API ${title} is sent when the relay restarts`, async ({ api, relay }) => {
    {
      await using running = await relay.start(env);
      const reply = await relay.send({ first_name: "Ana" });
      assert.deepEqual([reply.status, await reply.text()], [200, "Obrigado! Entraremos em contato."]);
      await running.until("Fica na fila: ");
    }
    assert.equal(relay.reader.list("queue").length, 1);
    await using running = await relay.start();
    await running.until("Enviado: ");
    assert.deepEqual(relay.reader.list("queue"), []);
    assert.equal((await api.get("/api-v1-deals")).body.data.length, 1);
  });
}

interface Relay {
  reader: Reader;
  /** The page's command that sends what the form sends. */
  command: string;
  origin: string;
  /** Starts the relay as the page says, and waits until it listens; `env` overrides variables with wrong values. */
  start(env?: { CRM_URL?: string; CRM_KEY?: string }): Promise<ReturnType<Reader["start"]>>;
  /** Sends a form as a browser does. */
  send(form: Record<string, string>): Promise<Response>;
}

function test(name: string, run: (given: Scenario & { relay: Relay }) => Promise<void>): void {
  node.test(name, async (scenario) => {
    const page = await openPage("leads-from-a-form", { js: 1, sh: 2 });
    const { key } = await makeKey(scenario.sql, scenario.workspace.id, { scopes: ["leads:write"] });
    await using reader = await openReader(baseUrl, key);
    await reader.write("relay.mjs", page.blocks.js[0]!);
    const port = freePort();
    const origin = `http://127.0.0.1:${port}`;
    const relay: Relay = {
      reader,
      origin,
      command: page.blocks.sh[1]!.replace("http://127.0.0.1:8787", origin),
      async start(env = {}) {
        const wrong = Object.entries(env).map(([name, value]) => `export ${name}=${value}\n`).join("");
        const running = reader.start(page.blocks.sh[0]!.replace("node ", `${wrong}node `), {
          PORT: String(port),
        });
        await running.until("Recebendo em");
        return running;
      },
      send: (form) => fetch(`${origin}/lead`, { method: "POST", body: new URLSearchParams(form) }),
    };
    await run({ ...scenario, relay });
  });
}
