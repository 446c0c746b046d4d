import assert from "node:assert/strict";
import { ENTERED, foldersOf } from "../../tools/collection/steps.ts";
import { apiEndpoints } from "../../tools/resources.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import { operationId } from "../../tools/openapi/operation_id.ts";
import type { OpenApi } from "../../tools/openapi/read_document.ts";

const steps = foldersOf(openApiDocument("api", "pt") as OpenApi).flatMap((folder) => folder.steps);

Deno.test("Every endpoint of the API is in the collections exactly once", () => {
  assert.deepEqual(
    steps.map((step) => step.operationId).sort(),
    apiEndpoints.map(({ resource, route }) => operationId(resource, route)).sort(),
  );
});

Deno.test("No call of the collections uses an id that no earlier call gives", () => {
  const known = new Set(["yesterday", ...Object.keys(ENTERED)]);
  for (const { operationId: id, path, query, body, captures } of steps) {
    const used = JSON.stringify([path, query, body]).matchAll(/\{\{(\w+)\}\}/g);
    for (const [, name] of used) assert.ok(known.has(name!), `${id}: ${name}`);
    for (const { variable } of captures) known.add(variable);
  }
});

Deno.test("A call of the collections that changes nothing when it is repeated is the only one with an external_id", () => {
  const marked = steps.filter(({ body }) => JSON.stringify(body ?? null).includes('"external_id"'));
  assert.ok(marked.length > 0);
  for (const { operationId: id } of marked) assert.match(id, /\.upsert$/);
});
