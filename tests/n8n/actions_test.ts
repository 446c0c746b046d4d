import assert from "node:assert/strict";
import { openApiDocument } from "../../tools/openapi/document.ts";
import { type OpenApi, operationsOf } from "../../tools/openapi/read_document.ts";
import { actionProperties } from "../../tools/n8n/actions.ts";

Deno.test("The n8n node has every operation that takes a key, except those that reveal a secret", () => {
  const document = openApiDocument("api", "en") as OpenApi;
  const offered = actionProperties(document).filter(({ name }) => name === "operation").flatMap(
    (property) => {
      const [resource] = (property["displayOptions"] as { show: { resource: string[] } }).show.resource;
      return (property["options"] as { value: string }[]).map(({ value }) => `${resource}.${value}`);
    },
  );
  const missing = operationsOf(document)
    .filter(({ path, operation }) => path !== null && operation.security.length > 0)
    .map(({ operation }) => operation.operationId).filter((id) => !offered.includes(id));
  assert.deepEqual(missing, ["webhooks.create", "webhooks.rotate_secret"]);
});
