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

Deno.test("Every id in the collections comes from an earlier call", () => {
  const known = new Set(["yesterday", ...Object.keys(ENTERED)]);
  for (const { operationId: id, path, query, body, captures } of steps) {
    const used = JSON.stringify([path, query, body]).matchAll(/\{\{(\w+)\}\}/g);
    for (const [, name] of used) assert.ok(known.has(name!), `${id}: ${name}`);
    for (const { variable } of captures) known.add(variable);
  }
});

Deno.test("Only upserts in the collections send an external_id, so that the collections can be run again", () => {
  const marked = steps.filter(({ body }) => JSON.stringify(body ?? null).includes('"external_id"'));
  assert.ok(marked.length > 0);
  for (const { operationId: id } of marked) assert.match(id, /\.upsert$/);
});
