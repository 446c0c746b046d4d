// Compares the fields of the n8n node with the OpenAPI document that they are written from.
import assert from "node:assert/strict";
import { openApiDocument } from "../../tools/openapi/document.ts";
import type { JsonSchema } from "../../tools/openapi/json_schema.ts";
import { type OpenApi, operationsOf, resolve } from "../../tools/openapi/read_document.ts";
import { actionProperties } from "../../tools/n8n/actions.ts";
import type { Property } from "../../tools/n8n/fields.ts";

const document = openApiDocument("api", "en") as OpenApi;
const actions = actionProperties(document);

/** Every operation that takes a key, with the fields that the node shows for it. */
const operations = operationsOf(document)
  .filter(({ path, operation }) => path !== null && operation.security.length > 0)
  .map(({ operation }) => {
    const [resource, name] = operation.operationId.split(".") as [string, string];
    const shown = actions.filter(({ displayOptions }) => {
      const { show } = (displayOptions ?? { show: {} }) as { show: Record<string, string[]> };
      return show["resource"]?.includes(resource) && show["operation"]?.includes(name);
    });
    const fields = shown.flatMap((property) =>
      property.type === "collection" ? property["options"] as Property[] : [property]
    );
    return { ...operation, resource, name, fields: new Map(fields.map((field) => [field.name, field])) };
  });

Deno.test("The n8n node has every operation that takes a key, except those that reveal a secret", () => {
  const offered = actions.filter(({ name }) => name === "operation").flatMap((property) => {
    const [resource] = (property["displayOptions"] as { show: { resource: string[] } }).show.resource;
    return (property["options"] as { value: string }[]).map(({ value }) => `${resource}.${value}`);
  });
  const missing = operations.map(({ operationId }) => operationId).filter((id) => !offered.includes(id));
  assert.deepEqual(missing, ["webhooks.create", "webhooks.rotate_secret"]);
});

/** The types of n8n's fields that can hold a value of a type of the document. */
const HOLDS: Record<string, string[]> = {
  boolean: ["boolean"],
  integer: ["number"],
  number: ["number"],
  string: ["string", "options", "dateTime"],
  array: ["multiOptions", "string", "json"],
  object: ["json"],
};

Deno.test("Each field of a body keeps its type in n8n, and sends null when empty if the API accepts null", () => {
  let nullable = 0;
  for (const { operationId, requestBody, fields } of operations) {
    if (!requestBody || ["webhooks.create", "webhooks.rotate_secret"].includes(operationId)) continue;
    const { properties = {} } = resolve(document, requestBody.content["application/json"].schema);
    for (const [name, type, acceptsNull] of leavesOf(properties)) {
      const field = fields.get(name);
      assert.ok(field, `${operationId} ${name}`);
      assert.ok(HOLDS[type]!.includes(field.type), `${operationId} ${name}: ${field.type} for ${type}`);
      const { value = "" } = (field["routing"] as { send: { value?: string } }).send;
      const sendsNull = value.includes('$value === "" || $value === null ? null :');
      assert.equal(sendsNull, acceptsNull, `${operationId} ${name}`);
      if (acceptsNull) nullable++;
    }
  }
  assert.ok(nullable > 100, String(nullable));
});

/** The values in a body: the name of the field in n8n, the type, and whether null is accepted. */
function leavesOf(properties: Record<string, JsonSchema>, prefix = ""): [string, string, boolean][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const kinds = kindsOf(schema);
    const [first] = kinds.filter(({ type }) => type !== "null");
    return first!.properties
      ? leavesOf(first!.properties, `${prefix}${name}_`)
      : [[prefix + name, first!.type as string, kinds.some(({ type }) => type === "null")]];
  });
}

/** The schemas for each of the types that a value may have. */
function kindsOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf, ...found } = resolve(document, schema);
  return anyOf ? anyOf.flatMap(kindsOf) : [found.type!].flat().map((type) => ({ ...found, type }));
}
