// Runs each sample in both versions, with the SDK and without it: both must do the same.
import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../../run/local/free_port.ts";
import { openFolder } from "../support/folder.ts";
import { isListening } from "../support/is_listening.ts";
import { killIfRunning } from "../support/kill.ts";
import { eventually, openMailbox } from "../support/mailbox.ts";
import { type Scenario, withScenario } from "../support/scenario.ts";
import { recordingCrm } from "../support/sdk.ts";
import { baseUrl } from "../support/stack.ts";

const SAMPLES = join(import.meta.dirname!, "../../clients/sdk/samples");
const VARIANTS = ["with_sdk.ts", "without_sdk.ts"];
const LEAST_SAVED = 0.6;

/** Starts a sample with the variables of its environment. */
function start(mode: string[], file: string, env: Record<string, string>, cwd?: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [...mode, "-A", "--no-check", "--config", join(SAMPLES, "deno.json"), join(SAMPLES, file)],
    env: { NO_COLOR: "1", ...env },
    ...(cwd && { cwd }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Serves a sample while `work` runs. */
async function serving(file: string, env: Record<string, string>, work: (url: string) => Promise<void>) {
  // `deno serve` of Deno 2.1 does not tell which port it chose.
  const port = freePort();
  const child = start(["serve", "--host=127.0.0.1", `--port=${port}`], file, env);
  const output = Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()));
  try {
    await eventually(() => isListening(port), `${file} to listen`).catch(async (error) => {
      killIfRunning(child);
      throw new Error(`${error.message}\n${(await output).join("\n")}`);
    });
    await work(`http://127.0.0.1:${port}/`);
  } finally {
    killIfRunning(child);
    await child.status;
    await output;
  }
}

/** Lines that are neither empty nor a comment. */
async function linesOf(file: string): Promise<number> {
  const text = await Deno.readTextFile(join(SAMPLES, file));
  return text.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}

for (const sample of ["form", "receiver", "sync"]) {
  Deno.test(`The sample ${sample} needs at least 60 % fewer lines with the SDK than without`, async () => {
    const [fewer, more] = await Promise.all(VARIANTS.map((variant) => linesOf(join(sample, variant))));
    console.log(`${sample}: ${fewer} lines with the SDK, ${more} without`);
    assert.ok(1 - fewer! / more! >= LEAST_SAVED);
  });
}

for (const variant of VARIANTS) {
  const test = (title: string, run: (scenario: Scenario) => Promise<void>) =>
    Deno.test(`${variant}: ${title}`, () => withScenario(run));

  test("the form makes a lead, and tells the page which field is wrong", async ({ workspace: { key } }) => {
    const { crm } = recordingCrm(key);
    await serving(`form/${variant}`, { CRM_KEY: key, CRM_URL: baseUrl }, async (url) => {
      const submit = async (fields: Record<string, string>) => {
        const reply = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
        return { status: reply.status, body: await reply.json() };
      };
      const { status, body } = await submit({ name: "Ana", email: "ana@exemplo.com.br" });
      assert.equal(status, 201);
      assert.equal((await crm.deals.get(body.deal_id)).contact?.email, "ana@exemplo.com.br");
      const refused = await submit({ name: "Ana", email: "ana@", value: "1000000" });
      assert.equal(refused.status, 422);
      assert.deepEqual(refused.body.details.map(({ field }: { field: string }) => field), ["email"]);
    });
  });

  test("the receiver answers 204 to a delivery that the service signed, and 401 to others", async ({ workspace: { key } }) => {
    const { crm } = recordingCrm(key);
    const mailbox = openMailbox();
    const { secret } = await crm.webhooks.create({ event_types: ["deal.won"], target_url: mailbox.url });
    const { id } = await crm.deals.create({ title: "Plano anual" });
    await crm.deals.win(id);
    const [message] = await mailbox.waitFor(1);
    for (const name of ["CRM_WEBHOOK_SECRET", "CRM_WEBHOOK_SECRET_NEXT"]) {
      const env = { CRM_WEBHOOK_SECRET: "whsec_other", [name]: secret };
      await serving(`receiver/${variant}`, env, async (url) => {
        const { headers, raw } = message!;
        const deliver = async (body: Uint8Array) => {
          const given = new Headers(headers);
          for (const name of ["host", "content-length", "connection"]) given.delete(name);
          const reply = await fetch(url, { method: "POST", headers: given, body: new Uint8Array(body) });
          await reply.body?.cancel();
          return reply.status;
        };
        assert.equal(await deliver(raw), 204);
        assert.equal(await deliver(Uint8Array.of(...raw, 32)), 401);
      });
    }
  });

  test("the nightly sync copies all contacts once, and then what changed", async ({ workspace: { key } }) => {
    const { crm } = recordingCrm(key);
    await using folder = await openFolder();
    const run = async () => {
      const { success, stdout, stderr } = await start(
        ["run"],
        `sync/${variant}`,
        { CRM_KEY: key, CRM_URL: baseUrl },
        folder.path,
      ).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const copy = JSON.parse(await Deno.readTextFile(join(folder.path, "contacts.json")));
      const names = copy.contacts.map(([, { name }]: [string, { name: string }]) => name).sort();
      assert.match(new TextDecoder().decode(stdout), new RegExp(`^${names.length} contacts`));
      return names;
    };
    const [ana, bia, caio] = await Promise.all(
      ["Ana", "Bia", "Caio"].map((name) => crm.contacts.create({ name })),
    );
    assert.deepEqual(await run(), ["Ana", "Bia", "Caio"]);
    await crm.contacts.update(ana!.id, { name: "Ana Souza" });
    await crm.contacts.archive(bia!.id);
    await crm.contacts.erase(caio!.id);
    await crm.contacts.create({ name: "Davi" });
    // An event appears in the feed a moment after the write.
    await eventually(
      async () => JSON.stringify(await run()) === '["Ana Souza","Davi"]',
      "the copy to be in step",
    );
  });
}
