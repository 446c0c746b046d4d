// clients/examples/form-relay, run as its README says, against the API behind a proxy that cuts connections.
import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../../run/local/free_port.ts";
import { eventually } from "../support/mailbox.ts";
import { openBehindProxy } from "./open_example.ts";

const LEADS = "POST /functions/v1/api-v1-leads";

/** Prepares the relay with its form, on a free port. The relay calls the API through a proxy. */
async function openRelay(options: { rateLimit?: number } = {}) {
  const origin = `http://localhost:${freePort()}`;
  const variables = { FORM_ORIGIN: origin, PORT: new URL(origin).port, RETRY_SECONDS: "1" };
  const opened = await openBehindProxy("form-relay", LEADS, { ...options, variables });
  const { api, example } = opened;
  const start = async () => {
    const relay = example.start("npm start");
    await relay.prints(`Formulário em ${origin}`);
    return relay;
  };
  return {
    ...{ ...opened, origin, start },
    relay: await start(),
    /** Sends fields as the form does. */
    async send(fields: Record<string, string>, headers: Record<string, string> = { Origin: origin }) {
      const body = new URLSearchParams(fields);
      const reply = await fetch(`${origin}/leads`, { method: "POST", headers, body });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    },
    /** The names of the files in a folder of the outbox. */
    async files(folder: "waiting" | "refused") {
      const entries = Deno.readDir(join(example.folder, "outbox", folder));
      return (await Array.fromAsync(entries, ({ name }) => name)).sort();
    },
    /** Waits until no lead waits in the outbox. */
    async sent(what: string) {
      await eventually(async () => (await this.files("waiting")).length === 0, what);
    },
    /** The contacts that the leads created. */
    async contacts(count: number) {
      return await eventually(async () => {
        const { body } = await api.get("/api-v1-contacts");
        return body.data.length >= count && body.data;
      }, `${count} contacts`);
    },
    async deals() {
      return (await api.get("/api-v1-deals")).body.data;
    },
  };
}

Deno.test("clients/examples/form-relay passes a lead on, and neither its pages nor its output have the key", async () => {
  await using opened = await openRelay();
  const { origin, workspace, api } = opened;
  const id = crypto.randomUUID();
  const lead = {
    first_name: "Ana",
    email: "ANA@exemplo.com.br",
    company_name: "Padaria Sol",
    message: "Olá",
    phone: "",
  };
  const { status, text } = await opened.send({ ...lead, utm_source: "google", submission_id: id });
  assert.equal(status, 202, text);

  const [contact] = await opened.contacts(1);
  assert.equal(contact.email, "ana@exemplo.com.br");
  const [deal] = await opened.deals();
  const { body } = await api.get(`/api-v1-deals/${deal.id}`);
  assert.equal(body.company.name, "Padaria Sol");
  assert.equal(body.lead.external_id, id);
  assert.equal(body.lead.source, "site");
  assert.equal(body.lead.utm.source, "google");
  assert.deepEqual(body.lead.custom_fields, { mensagem: "Olá" });
  await opened.sent("the sent lead to be removed");

  for (const path of ["", "form.js", "form.css", ".env", "relay.js", "package.json", "..%2f.env"]) {
    const reply = await fetch(`${origin}/${path}`);
    assert.ok(!(await reply.text()).includes(workspace.key), path);
    assert.equal(reply.status, ["", "form.js", "form.css"].includes(path) ? 200 : 404, path);
  }
  assert.ok(!opened.relay.output().includes(workspace.key));
});

Deno.test("clients/examples/form-relay keeps leads while the API is away, and sends each once when the API is back or the relay restarts", async () => {
  await using opened = await openRelay();
  const { proxy } = opened;
  proxy.setLine("down");
  const ids = [crypto.randomUUID(), crypto.randomUUID()];
  for (const [at, submission_id] of ids.entries()) {
    const lead = { first_name: `Ana ${at}`, email: `ana${at}@exemplo.com.br`, submission_id };
    assert.equal((await opened.send(lead)).status, 202);
  }
  await eventually(() => proxy.count() >= 3, "more than one attempt");
  assert.deepEqual(await opened.files("waiting"), ids.map((id) => `${id}.json`).sort());
  proxy.setLine("up");
  assert.equal((await opened.contacts(2)).length, 2);
  await opened.sent("both to be sent");

  // The API accepts this lead, but the relay gets no reply.
  proxy.setLine("answers lost");
  const last = { first_name: "Bia", email: "bia@exemplo.com.br", submission_id: crypto.randomUUID() };
  await opened.send(last);
  await opened.contacts(3);
  assert.equal((await opened.files("waiting")).length, 1);
  await opened.relay.kill();
  proxy.setLine("up");
  const again = await opened.start();
  await opened.sent("the lead to be sent at the start");
  assert.ok(!again.output().includes("Lead"), again.output());
  // The visitor, who got no answer either, sends the form again.
  assert.equal((await opened.send(last)).status, 202);
  await opened.sent("the repetition to be sent");
  assert.equal((await opened.deals()).length, 3);
});

Deno.test("clients/examples/form-relay puts aside leads that the API refuses, and keeps leads that only a wrong key or the rate limit stops", async () => {
  await using opened = await openRelay({ rateLimit: 1 });
  const { proxy, example } = opened;
  const bad = { first_name: "Ana\u0000", email: "ana@exemplo.com.br", submission_id: crypto.randomUUID() };
  assert.equal((await opened.send(bad)).status, 202);
  await eventually(async () => (await opened.files("refused")).length === 1, "the lead to be put aside");
  assert.deepEqual(await opened.files("refused"), [`${bad.submission_id}.json`]);
  assert.deepEqual(await opened.files("waiting"), []);
  await opened.relay.prints("422 validation_error");

  // That call used up this minute's limit.
  const good = { first_name: "Bia", email: "bia@exemplo.com.br", submission_id: crypto.randomUUID() };
  await opened.send(good);
  await opened.relay.prints("429 rate_limited");
  const calls = proxy.count();
  assert.equal(calls, 2, "the refused lead was not sent again");
  assert.deepEqual(await opened.files("waiting"), [`${good.submission_id}.json`]);
  assert.ok(!opened.relay.output().includes("exemplo.com.br"), "the log has no personal data");

  await opened.relay.kill();
  await example.configure({ CRM_KEY: "svc_wrong" });
  // A file that somebody edited, and a half-written file, as a crash may leave.
  await Deno.writeTextFile(join(example.folder, "outbox/waiting/(edited).json"), "{");
  await Deno.writeTextFile(join(example.folder, "outbox/waiting/half.json.x"), "{");
  const other = await opened.start();
  await other.prints("401 invalid_api_key");
  await other.prints("(edited).json");
  assert.deepEqual(await opened.files("waiting"), [`${good.submission_id}.json`]);
  assert.deepEqual(await opened.files("refused"), [`${bad.submission_id}.json`, "(edited).json"].sort());
});

Deno.test("clients/examples/form-relay takes leads only from its form, tells visitors what is wrong, and tells bots nothing", async () => {
  await using opened = await openRelay();
  const { origin } = opened;
  const lead = { first_name: "Ana", email: "ana@exemplo.com.br" };
  const others: Record<string, string>[] = [{ Origin: "https://outra.example" }, { Origin: "null" }, {}];
  for (const headers of others) {
    const reply = await opened.send(lead, headers);
    assert.equal(reply.status, 403);
    assert.equal(reply.headers.get("Access-Control-Allow-Origin"), null);
  }
  const wrong = await opened.send({ first_name: " ", email: "ana@" });
  assert.equal(wrong.status, 422);
  assert.equal(wrong.headers.get("Access-Control-Allow-Origin"), origin);
  const errors = { first_name: "Informe seu nome.", email: "Confira o e-mail." };
  assert.deepEqual(JSON.parse(wrong.text).errors, errors);
  const nowhere = await opened.send({ first_name: "Ana" });
  assert.deepEqual(JSON.parse(nowhere.text).errors, { email: "Informe um e-mail ou um telefone." });
  assert.equal((await opened.send({ ...lead, message: "x".repeat(2_001) })).status, 422);
  assert.equal((await opened.send({ ...lead, message: "x".repeat(70_000) })).status, 413);

  assert.equal((await opened.send({ ...lead, website: "https://spam.example" })).status, 202);
  assert.deepEqual(await opened.files("waiting"), []);
  assert.equal(opened.proxy.count(), 0);

  // Without JavaScript the browser shows the answer itself.
  const asPage = { Origin: origin, Accept: "text/html" };
  const plain = await opened.send({ ...lead, submission_id: "../../x" }, asPage);
  const thanks = "Recebemos seus dados. Em breve entraremos em contato.";
  assert.deepEqual([plain.status, plain.text], [202, thanks]);
  assert.equal((await opened.contacts(1)).length, 1);
  const longest = await opened.send({ ...lead, message: "日".repeat(2_000) });
  assert.equal(longest.status, 202, "a message of the longest length, whatever its characters");
});
