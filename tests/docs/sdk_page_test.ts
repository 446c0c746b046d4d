// Runs each program of the SDK page, as its reader would, with the SDK of this repository.
import assert from "node:assert/strict";
import { join } from "node:path";
import { client } from "../support/client.ts";
import { eventually, openMailbox } from "../support/mailbox.ts";
import { deno } from "../support/run.ts";
import { test } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { subscribe } from "../support/webhooks.ts";
import { openPage } from "./claims.ts";
import { readSample, serverOf } from "./sample_receivers.ts";

const SDK = new URL("../../clients/sdk/src/index.ts", import.meta.url);

const page = await openPage("sdk", { js: 6 });
const [firstLead = "", lists = "", batch = "", errors = "", receiver = "", sync = ""] = page.blocks.js;

test("The SDK page's first program has at most 15 lines, creates a lead, and finds the lead in a second run", async ({ workspace, api }) => {
  assert.ok(firstLead.trim().split("\n").length <= 15);
  await using reader = await openReader(workspace.key);
  const [first, again] = [await reader.run(firstLead), await reader.run(firstLead)];
  const [, deal] = /^criado ([0-9a-f-]{36})\n$/.exec(first) ?? [];
  assert.equal(again, `já existia ${deal}\n`);
  assert.equal((await api.get(`/api-v1-deals/${deal}`)).status, 200);
});

test("The SDK page's list program prints each contact that it finds, and a page of open deals", async ({ workspace, api, newDeal }) => {
  await newDeal();
  const { body: { id } } = await api.post("/api-v1-contacts", {
    name: "João da Padaria",
    email: "j@padaria.com.br",
  });
  await using reader = await openReader(workspace.key);
  assert.equal(await reader.run(lists), `${id} João da Padaria j@padaria.com.br\n1 false\n`);
});

test("The batch on the SDK page writes one row and says what is wrong with the other", async ({ workspace, api }) => {
  await using reader = await openReader(workspace.key);
  const printed = await reader.run(batch);
  assert.match(printed, /^2 of 2\n\{ created: 1, updated: 0, failed: 1 \}\n$/);
  assert.match(reader.errors(), /^c-2 validation_error \[/);
  const { body } = await api.get("/api-v1-contacts");
  assert.deepEqual(body.data.map((contact: { external_id: string }) => contact.external_id), ["c-1"]);
});

test("The error program on the SDK page prints what its comments show", async ({ workspace }) => {
  await using reader = await openReader(workspace.key);
  const [code, details, requestId] = (await reader.run(errors)).split("\n");
  const shown = [...errors.matchAll(/console\.log\(.*?\); \/\/ (.*)/g)].map(([, comment]) => comment);
  assert.deepEqual([code, details], shown.slice(0, 2));
  assert.match(requestId!, /^[0-9a-f-]{36}$/);
});

test("The receiver on the SDK page accepts a delivery from the dispatcher, and refuses it if it was changed", async ({ workspace: { key }, newDeal }) => {
  const mailbox = openMailbox();
  const { secret } = await subscribe(key, mailbox.url, ["deal.won"]);
  await client(key).post(`/api-v1-deals/${(await newDeal()).id}/win`, {});
  const { raw, headers } = (await mailbox.waitFor(1))[0]!;
  const delivery = {
    raw,
    timestamp: headers.get("X-Service-Timestamp")!,
    signature: headers.get("X-Service-Signature")!,
  };
  await using reader = await openReader(key);
  const start = serverOf((file) => [Deno.execPath(), "run", "-A", ...reader.options, file]);
  for (const secrets of [{ secret }, { secret: "whsec_other", next: secret }]) {
    await using verifier = await start(await reader.write(receiver), secrets);
    assert.ok(await verifier.accepts(delivery));
    assert.ok(!await verifier.accepts({ ...delivery, raw: raw.slice(1) }));
    assert.ok(!await verifier.accepts({ ...delivery, timestamp: String(Number(delivery.timestamp) - 301) }));
  }
});

test("The sync on the SDK page prints each event once, over several runs", async ({ workspace, api }) => {
  await using reader = await openReader(workspace.key);
  const make = async (name: string) => (await api.post("/api-v1-contacts", { name })).body.id;
  const next = () => eventually(async () => (await reader.run(sync)) || undefined, "the next events");
  const first = await make("Antes");
  assert.equal(await next(), `contact.created ${first}\n`);
  const second = await make("Depois");
  assert.equal(await next(), `contact.created ${second}\n`);
});

Deno.test("The programs on the SDK page and the receiver in TypeScript have no type error", async () => {
  await using reader = await openReader("");
  // One process checks all programs, because it spends most of its time on the types of Deno and the SDK.
  const programs = [...page.blocks.js, await readSample("ts")];
  const files = await Promise.all(programs.map((program, index) => reader.write(program, `${index}.ts`)));
  await deno(["check", "--quiet", ...reader.options, ...files]);
});

/** Opens a folder whose import map points to this repository's SDK. */
async function openReader(key: string) {
  const folder = await Deno.makeTempDir();
  const map = join(folder, "import_map.json");
  await Deno.writeTextFile(map, JSON.stringify({ imports: { "@crm-api/sdk": SDK.href } }));
  const options = ["--no-config", "--import-map", map];
  const write = async (program: string, name = "program.mjs") => {
    const file = join(folder, name);
    await Deno.writeTextFile(file, program);
    return file;
  };
  let errors = "";
  return {
    /** Deno's options for the folder's programs. */
    options,
    write,
    /** Runs a program, and returns what it printed. */
    async run(program: string): Promise<string> {
      const args = ["run", "-A", "--quiet", "--no-check", ...options, await write(program)];
      const env = { CRM_URL: baseUrl, CRM_KEY: key };
      const { stdout, stderr } = await deno(args, { cwd: folder, env });
      errors = stderr;
      return stdout;
    },
    /** What the last run wrote to stderr. */
    errors: () => errors,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
