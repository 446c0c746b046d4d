// Compares the generated table of tools with the endpoint tables.
import assert from "node:assert/strict";
import { NOT_TOOLS } from "../../tools/mcp/not_tools.ts";
import { toolName } from "../../tools/mcp/table.ts";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { keyEndpoints } from "../support/resources.ts";

Deno.test("Every endpoint that takes a key is a tool, or has a stated reason why it is not", () => {
  const wanted = keyEndpoints.filter(({ route }) => !Object.hasOwn(NOT_TOOLS, route.endpoint.operation));
  assert.deepEqual([...TOOLS.keys()].sort(), wanted.map(toolName).sort());
  const operations = keyEndpoints.map(({ route }) => route.endpoint.operation);
  for (const operation of Object.keys(NOT_TOOLS)) assert.ok(operations.includes(operation), operation);
});

Deno.test("No tool answers with the secret of a subscription", () => {
  const revealing = keyEndpoints.filter(({ route }) =>
    JSON.stringify(route.endpoint.reply?.toJSONSchema() ?? {}).includes('"secret"')
  );
  assert.ok(revealing.length > 0);
  for (const listed of revealing) assert.equal(TOOLS.has(toolName(listed)), false, listed.title);
});

Deno.test("Every MCP client can read the schema of every tool", () => {
  for (const { definition } of TOOLS.values()) {
    const { name, title, description, inputSchema } = definition;
    assert.match(name, /^[a-z_]{1,40}$/);
    assert.ok(description.startsWith(`${title}.`), name);
    // Some MCP hosts refuse a tool whose schema has `anyOf` or the like next to `properties`.
    assert.deepEqual(Object.keys(inputSchema), ["type", "properties", "required", "additionalProperties"]);
    for (const field of Object.keys(inputSchema.properties)) assert.match(field, /^[a-z0-9_]{1,64}$/);
    for (const field of inputSchema.required) assert.ok(inputSchema.properties[field], field);
    assert.doesNotMatch(JSON.stringify(inputSchema), /"\$ref"|"allOf"|_en"/);
    // Paths, and the form of a filter in a query.
    assert.doesNotMatch(JSON.stringify(definition), /\/api-v1-|custom\[/);
  }
});

Deno.test("A tool's annotations say correctly whether it is read-only, destructive or idempotent", () => {
  for (const { definition: { name, annotations, inputSchema }, request } of TOOLS.values()) {
    const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
    assert.equal(readOnlyHint, request.method === "GET", name);
    const takesAway =
      /_(update|upsert|batch|delete|erase|merge|archive|move_stage|win|lose|reassign|remove_contact)$/.test(
        name,
      );
    assert.equal(destructiveHint, takesAway, name);
    assert.equal("idempotency_key" in inputSchema.properties, request.idempotent, name);
    if (request.idempotent || readOnlyHint) assert.equal(idempotentHint, true, name);
    if (/_(test|redeliver|redeliver_all|recover)$/.test(name)) assert.equal(idempotentHint, false, name);
  }
});
