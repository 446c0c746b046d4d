// Each collection, run from top to bottom against the shared stack by a program that reads its format.
import assert from "node:assert/strict";
import { join } from "node:path";
import newman from "newman";
import { foldersOf } from "../../tools/collection/steps.ts";
import { makeWorkspaceWithDeal } from "../support/fixtures.ts";
import { openMailbox } from "../support/mailbox.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";
import { API_DOCUMENT, readDocument, writeCollections, writeDocuments } from "./support/documents.ts";
import { makeOperation } from "../support/samples.ts";

await writeDocuments();
const steps = foldersOf(await readDocument(API_DOCUMENT)).flatMap((folder) => folder.steps);

const collections = await writeCollections();
const read = (name: string) => Deno.readTextFile(join(collections, name));

/** What a person enters: a new workspace's address and key, a receiver, two proposals' tokens, and an operation. */
async function enteredValues(): Promise<Record<string, string>> {
  await using sql = openDatabase();
  const { workspace, deal } = await makeWorkspaceWithDeal(sql);
  const newToken = async () => tokenOf((await makeProposal(sql, deal.id)).link);
  return {
    base_url: baseUrl,
    api_key: workspace.key,
    webhook_url: openMailbox().url,
    proposal_token: await newToken(),
    other_proposal_token: await newToken(),
    operation_id: await makeOperation(sql, workspace.id),
  };
}

/** Runs the Postman collection; returns the reply and the test results of each request. */
async function runNewman(values: Record<string, string>) {
  const collection = JSON.parse(await read("crm.postman_collection.json"));
  // deno-lint-ignore no-explicit-any -- newman has no types of its own
  const summary = await new Promise<any>((resolve, reject) =>
    newman.run({
      collection,
      envVar: Object.entries(values).map(([key, value]) => ({ key, value })),
      // deno-lint-ignore no-explicit-any -- newman has no types of its own
    }, (error: Error | null, result: any) => error ? reject(error) : resolve(result))
  );
  return summary.run as {
    // deno-lint-ignore no-explicit-any -- newman has no types of its own
    executions: { item: { name: string }; response?: { code: number; text(): string }; assertions?: any[] }[];
    failures: { error: { message: string }; source: { name: string } }[];
  };
}

Deno.test({
  name: "Newman runs the Postman collection twice, and every call answers with a declared status",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const values = await enteredValues();
    const first = await runNewman(values);
    assert.deepEqual(first.failures.map(({ error, source }) => [source.name, error.message]), []);
    assert.deepEqual(
      first.executions.map((
        { item, response, assertions },
      ) => [item.name, response!.code, assertions!.length]),
      steps.map(({ title }, index) => [title, first.executions[index]!.response!.code, 1]),
    );
    // The proposals are answered now. The second run gets no tokens and no operation, and skips calls that need them.
    const again = await runNewman({
      ...values,
      proposal_token: "",
      other_proposal_token: "",
      operation_id: "",
    });
    assert.deepEqual(again.failures.map(({ error, source }) => [source.name, error.message]), []);
    const sent = again.executions.filter(({ response }) => response !== undefined);
    assert.equal(sent.length, steps.filter(({ needs }) => needs.length === 0).length);
  },
});

Deno.test("Every request of crm.http answers with a declared status, from top to bottom", async () => {
  const replies = await sendAll(await read("crm.http"), await enteredValues());
  assert.deepEqual(
    replies.map(({ name }) => name),
    steps.map((step) => step.operationId.replaceAll(".", "_")),
  );
  for (const [index, { name, status, text }] of replies.entries()) {
    assert.ok(steps[index]!.statuses.includes(status), `${name}: ${status} ${text}`);
  }
});

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
