// The SDK reaches every operation of the API. The tests loop over the OpenAPI document.
import { makeOperation } from "../../bench/harness/samples.ts";
import assert from "node:assert/strict";
import { openApiDocument } from "../../tools/openapi/document.ts";
import type { OperationId } from "../../clients/sdk/src/operations.ts";
import { REPEATABLE } from "../../clients/sdk/src/retry.ts";
import { replyOf } from "../../clients/sdk/src/index.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { type Scenario, test } from "../support/scenario.ts";
import { CALLS, recordingCrm, type Samples } from "../support/sdk.ts";
import { baseUrl } from "../support/stack.ts";

interface Documented {
  operationId: OperationId;
  security?: unknown[];
  parameters?: { $ref?: string }[];
}

// deno-lint-ignore no-explicit-any -- read without types, as a tool reads it
const { paths } = openApiDocument("api", "en") as any;
const documented = Object.entries<Record<string, Documented>>(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation }))
);

async function samplesOf({ sql, workspace }: Scenario) {
  const recording = recordingCrm(workspace.key);
  const { lead } = await recording.crm.leads.create({ first_name: "Ana", company_name: "Padaria Sol" });
  const samples: Samples = {
    crm: recording.crm,
    dealId: lead.deal_id,
    contactId: lead.contact_id,
    companyId: lead.company_id!,
    stageId: workspace.stages[1].id,
    operationId: await makeOperation(sql, workspace.id),
    newToken: async () => tokenOf((await makeProposal(sql, lead.deal_id)).link),
  };
  return { ...recording, samples };
}

Deno.test("The SDK has a method for each operation of the document, and no other", () => {
  assert.deepEqual(Object.keys(CALLS).sort(), documented.map(({ operationId }) => operationId).sort());
});

for (const { operationId, path, method, security, parameters = [] } of documented) {
  test(`The SDK calls ${operationId} as the document says`, async (scenario) => {
    const { samples, sent } = await samplesOf(scenario);
    // What does not resolve with a reply of 2xx rejects.
    await CALLS[operationId]!(samples);
    const last = sent.at(-1)!;
    assert.equal(last.method, method);
    assert.match(last.path, new RegExp(`^${path.replace(/\{\w+\}/g, "[\\w-]+")}$`));
    assert.equal(last.headers.has("X-API-Key"), security?.length !== 0);
    const keyed = parameters.some(({ $ref }) => $ref?.endsWith("/Idempotency-Key"));
    assert.equal(last.headers.has("Idempotency-Key"), keyed);
  });
}

for (const operationId of REPEATABLE) {
  test(`${operationId}, which the SDK repeats without a key, does no more a second time`, async (scenario) => {
    const { samples, sent } = await samplesOf(scenario);
    await CALLS[operationId](samples);
    const effects = () =>
      scenario.sql`
        select (select count(*) from crm.events where workspace_id = ${scenario.workspace.id}) as events,
          (select count(*) from crm.webhook_deliveries where workspace_id = ${scenario.workspace.id}) as deliveries`;
    const before = await effects();
    const { method, path, headers, body } = sent.at(-1)!;
    const again = await fetch(baseUrl + path, { method, headers, body });
    const text = await again.text();
    assert.ok(again.ok, text);
    assert.deepEqual(await effects(), before);
  });
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
