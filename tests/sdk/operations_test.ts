// The SDK reaches every operation of the API. The calls come from the API collections, in which a call uses ids from
// earlier replies. A new endpoint is therefore tested without a new line here.
import assert from "node:assert/strict";
import { replyOf } from "../../clients/sdk/src/index.ts";
import { type OperationId, OPERATIONS } from "../../clients/sdk/src/operations.ts";
import { REPEATABLE } from "../../clients/sdk/src/retry.ts";
import { foldersOf, type Step } from "../../tools/collection/steps.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import type { OpenApi } from "../../tools/openapi/read_document.ts";
import { openMailbox } from "../support/mailbox.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { test } from "../support/scenario.ts";
import { recordingCrm } from "../support/sdk.ts";
import { baseUrl } from "../support/stack.ts";
import { makeOperation } from "../support/samples.ts";

const document = openApiDocument("api", "en") as OpenApi;
const steps = foldersOf(document).flatMap((folder) => folder.steps);

test("The SDK calls every operation as the document says, and repeating a repeatable operation changes nothing", async ({ sql, workspace, newDeal }) => {
  const { crm, sent } = recordingCrm(workspace.key);
  const newToken = async () => tokenOf((await makeProposal(sql, (await newDeal()).id)).link);
  const values: Record<string, unknown> = {
    webhook_url: openMailbox().url,
    yesterday: new Date(Date.now() - 86_400_000).toISOString(),
    $timestamp: Math.floor(Date.now() / 1000),
    operation_id: await makeOperation(sql, workspace.id),
    proposal_token: await newToken(),
    other_proposal_token: await newToken(),
  };
  const effects = () =>
    sql`
      select (select count(*) from crm.events where workspace_id = ${workspace.id}) as events,
        (select count(*) from crm.webhook_deliveries where workspace_id = ${workspace.id}) as deliveries`;
  for (const step of steps) {
    const id = step.operationId as OperationId;
    // Rejects for every reply except 2xx.
    const reply = await callBy(crm, id, fill(step, values) as Step);
    for (const { variable, path } of step.captures) values[variable] = valueAt(reply, path);
    const { method, path, query, headers, body } = sent.at(-1)!;
    const { parameters = [], security } = document.paths[OPERATIONS[id].path]![method.toLowerCase()]!;
    assert.equal(`${method} ${path}`, `${step.method} ${(fill(step, values) as Step).path}`);
    assert.equal(headers.has("X-API-Key"), security.length > 0, id);
    const keyed = parameters.some((one) => "$ref" in one && one.$ref.endsWith("/Idempotency-Key"));
    assert.equal(headers.has("Idempotency-Key"), keyed, id);
    if (!REPEATABLE.has(id)) continue;
    const before = await effects();
    const again = await fetch(`${baseUrl}${path}?${query}`, { method, headers, body });
    assert.ok(again.ok, `${id}: ${await again.text()}`);
    assert.deepEqual(await effects(), before, id);
  }
  assert.deepEqual(steps.map(({ operationId }) => operationId).sort(), Object.keys(OPERATIONS).sort());
});

/** Calls the SDK's method for an operation with the request of a collection's step. */
// deno-lint-ignore no-explicit-any -- the methods are found by their names
async function callBy(crm: any, id: OperationId, { path, query, body }: Step): Promise<unknown> {
  const { path: template, takes = [], list } = OPERATIONS[id];
  const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "([^/]+)")}$`);
  const [, ...ids] = pattern.exec(path)!;
  const sent: Record<string, unknown> = {
    query: Object.fromEntries(query.map(({ name, value }) => [name, value])),
    body,
  };
  const given = takes.map((name) => {
    const [part, member] = name.split(".") as [string, string?];
    return member ? (sent[part] as Record<string, unknown>)[member] : sent[part];
  });
  const [resource, method] = id.split(".").map((word) =>
    word.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
  ) as [string, string];
  const alone = crm[resource] ?? crm[resource.replace(/s$/, "")];
  // A resource that is itself a function, like crm.me(), has its other operations as properties: crm.me.requests().
  if (typeof alone === "function" && !(method in alone)) return await alone(...ids);
  if (method === "batch") return await crm[resource].batch((body as { items: unknown[] }).items);
  const result = crm[resource][method](...ids, ...given);
  return list ? await result.page() : await result;
}

/** Puts the values in place of the variables. */
function fill(template: unknown, values: Record<string, unknown>): unknown {
  const text = JSON.stringify(template).replace(/\{\{(\$?\w+)\}\}/g, (_, name) => {
    assert.ok(values[name], `No call gives ${name}`);
    return String(values[name]);
  });
  return JSON.parse(text);
}

/** Reads `data[0].id`. */
function valueAt(body: unknown, path: string): unknown {
  return path.split(/[.[\]]+/).reduce((value, name) => (value as Record<string, unknown>)[name], body);
}

test("An object has the reply that it came with, and stays the JSON of the reply", async ({ workspace }) => {
  const { crm } = recordingCrm(workspace.key);
  const created = await crm.contacts.create({ name: "Ana", nickname: "Aninha" } as { name: string });
  assert.deepEqual(Object.keys(created), ["id"]);
  const reply = replyOf(created)!;
  assert.equal(reply.status, 201);
  assert.deepEqual(reply.ignoredFields, ["nickname"]);
  assert.equal(reply.requestId, reply.headers.get("X-Request-Id"));
  assert.ok(reply.requestId);
  assert.equal(replyOf({}), undefined);
});
