// Runs the commands of the site's page on tools in a copy of the files that they use, and the requests of crm.http.
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { foldersOf } from "../../tools/collection/steps.ts";
import { openPage } from "../docs/claims.ts";
import { openFolder } from "../support/folder.ts";
import { makeWorkspaceWithDeal } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { run } from "../support/run.ts";
import { makeOperation } from "../support/samples.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";
import { API_DOCUMENT, readDocument, writeCollections, writeDocuments } from "./support/documents.ts";
import config from "./deno.json" with { type: "json" };

const CONFIG = join(import.meta.dirname!, "deno.json");

const { blocks } = await openPage("tools", { sh: 3, ts: 1 });
const [types, client, collection] = blocks.sh as [string, string, string];

await writeDocuments();
const written = await writeCollections();
const steps = foldersOf(await readDocument(API_DOCUMENT)).flatMap((folder) => folder.steps);

Deno.test("The page on tools generates types, and its program lists the deals of a workspace with them", async () => {
  await using reader = await openReader();
  const { access } = await makeAccess();
  await reader.run(types);
  await Deno.writeTextFile(join(reader.path, "client.ts"), blocks.ts[0]!);
  const printed = await reader.deno(["run", "-A", "--check", "--config", CONFIG, "client.ts"], access);
  assert.equal(printed, "Ana aberto\n");
});

Deno.test("The client that the page on tools generates has a function for each operation", async () => {
  await using reader = await openReader();
  await reader.run(client);
  const functions = await Deno.readTextFile(join(reader.path, "crm/sdk.gen.ts"));
  for (const name of ["contactsList", "dealsWin", "leadsCreate"]) {
    assert.match(functions, new RegExp(`\\b${name}\\b`));
  }
});

Deno.test("The command on the page on tools runs the whole collection, twice, and every call is answered as declared", async () => {
  await using reader = await openReader();
  const { access, tokens: [first, second] } = await makeAccess();
  // After the first run the proposals are answered. Without a token, the calls that need it are skipped.
  for (const [PROPOSAL, OTHER_PROPOSAL] of [[first, second], ["", ""]] as const) {
    const variables = { ...access, TARGET: openMailbox().url, PROPOSAL, OTHER_PROPOSAL };
    // newman exits with 1 if a request or a test of its reply fails.
    const printed = await reader.run(collection, variables);
    const known = PROPOSAL === "" ? [] : ["proposal_token", "other_proposal_token"];
    const sent = steps.filter(({ needs }) => needs.every((name) => known.includes(name)));
    assert.match(printed, new RegExp(`assertions │ +${sent.length} │ +0 │`));
  }
});

Deno.test("Every request of crm.http answers with a declared status, from top to bottom", async () => {
  await using reader = await openReader();
  const { access, tokens: [first, second], operation } = await makeAccess();
  const replies = await sendAll(await Deno.readTextFile(join(reader.path, "crm.http")), {
    base_url: access.CRM_URL,
    api_key: access.CRM_KEY,
    webhook_url: openMailbox().url,
    proposal_token: first,
    other_proposal_token: second,
    operation_id: operation,
  });
  assert.deepEqual(
    replies.map(({ name }) => name),
    steps.map((step) => step.operationId.replaceAll(".", "_")),
  );
  for (const [index, { name, status, text }] of replies.entries()) {
    assert.ok(steps[index]!.statuses.includes(status), `${name}: ${status} ${text}`);
  }
});

/** A new workspace with a deal: how to call its API, the tokens of two proposals, and an operation. */
async function makeAccess() {
  await using sql = openDatabase();
  const { workspace, deal } = await makeWorkspaceWithDeal(sql);
  const newToken = async () => tokenOf((await makeProposal(sql, deal.id)).link);
  return {
    access: { CRM_URL: baseUrl, CRM_KEY: workspace.key },
    tokens: [await newToken(), await newToken()] as const,
    operation: await makeOperation(sql, workspace.id),
  };
}

/** A folder with the files that the reader downloads. Its npx runs the packages that tests/clients/deno.json pins. */
async function openReader() {
  const folder = await openFolder();
  const collections = ["crm.postman_collection.json", "crm.http"].map((name) => join(written, name));
  for (const file of [API_DOCUMENT, ...collections]) {
    await Deno.copyFile(file, join(folder.path, basename(file)));
  }
  const output = async (program: string, args: string[], env: Record<string, string>) =>
    (await run(program, args, { cwd: folder.path, env })).stdout;
  return {
    ...folder,
    deno: (args: string[], env: Record<string, string>) => output(Deno.execPath(), args, env),
    /** Runs a block; `npx -y name@version` runs the pinned package, which must have that version. */
    run(block: string, env: Record<string, string> = {}) {
      const [, name, version] = /^npx -y (\S+)@(\S+) /.exec(block) ?? [];
      const imports: Record<string, string> = config.imports;
      assert.equal(imports[name!], `npm:${name}@${version}`);
      const script =
        'npx() { shift; spec=$1; shift; "$DENO" run -A --quiet --config "$CONFIG" "npm:$spec" "$@"; }';
      return output("sh", ["-ec", `${script}\n${block}`], { ...env, DENO: Deno.execPath(), CONFIG });
    },
  };
}

/**
 * Sends every request of crm.http as the REST Client of VS Code does, one after the other. Understands only the parts
 * of the format that we use.
 * @param entered the variables that a person would have entered
 * @returns the replies, with the names of their requests: `# @name contacts_create`
 */
async function sendAll(file: string, entered: Record<string, string>) {
  const variables = new Map<string, string>();
  const replies = new Map<string, { name: string; status: number; text: string }>();
  const value = (expression: string): string => {
    const [, name, path] = /^(\w+)\.response\.body\.\$\.(.+)$/.exec(expression) ?? [];
    if (name) return valueAt(JSON.parse(replies.get(name)!.text), path!);
    if (expression === "$datetime iso8601 -1 d") return new Date(Date.now() - 86_400_000).toISOString();
    if (expression === "$timestamp") return String(Math.floor(Date.now() / 1000));
    const found = variables.get(expression);
    if (found === undefined) throw new Error(`No value for {{${expression}}}`);
    return found;
  };
  const filled = (text: string) => text.replace(/\{\{(.+?)\}\}/g, (_, expression) => value(expression));

  for (const block of file.split(/^###.*$/m)) {
    const [head = "", ...rest] = block.trim().split("\n\n");
    const lines = head.split("\n");
    for (const line of [...lines, ...rest.join("\n").split("\n")]) {
      const [, name, text] = /^@(\w+) = ?(.*)$/.exec(line) ?? [];
      if (name) variables.set(name, entered[name] ?? filled(text!));
    }
    const request = lines.findIndex((line) => /^[A-Z]+ /.test(line));
    if (request === -1) continue;
    const [method, url] = filled(lines[request]!).split(" ");
    const response = await fetch(url!, {
      method: method!,
      headers: lines.slice(request + 1).map((line) => filled(line).split(": ") as [string, string]),
      ...(rest.length > 0 && { body: filled(rest.join("\n\n")) }),
    });
    const name = /^# @name (\w+)$/m.exec(head)![1]!;
    replies.set(name, { name, status: response.status, text: await response.text() });
  }
  return [...replies.values()];
}

/** `data[0].id` of a body. */
function valueAt(body: unknown, path: string): string {
  let found = body;
  for (const part of path.split(/[.[\]]+/).filter(Boolean)) found = (found as Record<string, unknown>)[part];
  if (typeof found !== "string") throw new Error(`${path} is not in ${JSON.stringify(body)}`);
  return found;
}
