// Which tools a key is offered, and what it gets if it calls another tool.
import assert from "node:assert/strict";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { makeKey } from "../support/fixtures.ts";
import { post, request, toolClient } from "../support/mcp.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

/** The names of the tools that a key is offered, by default from every toolset. */
async function toolNames(
  key: string,
  headers: Record<string, string> = { "X-MCP-Toolsets": "all" },
): Promise<string[]> {
  const { body, text } = await post(request("tools/list"), { "X-API-Key": key, ...headers });
  assert.ok(body.result, text);
  return body.result.tools.map(({ name }: { name: string }) => name).sort();
}

test("A key is offered the tools of its scopes and no others, scope by scope", async ({ sql, workspace }) => {
  const free = [...TOOLS.values()].filter(({ scope }) => scope === null);
  assert.deepEqual((await toolNames(workspace.key)).sort(), [...TOOLS.keys()].sort());
  for (const scope of SCOPES) {
    const { key } = await makeKey(sql, workspace.id, { scopes: [scope] });
    const own = [...TOOLS.values()].filter((tool) => tool.scope === scope);
    // workspace:manage only permits changing the definitions of custom fields, and no tool does that.
    assert.equal(own.length > 0, scope !== "workspace:manage", scope);
    assert.deepEqual(await toolNames(key), [...own, ...free].map(({ definition }) => definition.name).sort());
  }
});

test("An assistant is offered the tools of a salesperson, or of the sets that a header names, and can call all others", async ({ workspace: { key } }) => {
  const namesOf = (...sets: string[]) =>
    [...TOOLS].filter(([, { toolset }]) => sets.includes(toolset)).map(([name]) => name).sort();
  const offered = (value?: string) => toolNames(key, value === undefined ? {} : { "X-MCP-Toolsets": value });
  assert.deepEqual(await offered(), namesOf("sales"));
  assert.ok(namesOf("sales").length <= 30);
  for (const everyday of ["contacts_duplicates", "contacts_merge", "deals_add_contact", "notes_list"]) {
    assert.ok(namesOf("sales").includes(everyday), everyday);
  }
  assert.deepEqual(await offered("webhooks"), namesOf("webhooks"));
  assert.deepEqual(await offered("sales, records"), namesOf("sales", "records"));
  assert.deepEqual(await offered("webhooks,all"), [...TOOLS.keys()].sort());
  const { status, body } = await post(request("tools/list"), { "X-API-Key": key, "X-MCP-Toolsets": "crm" });
  assert.equal(status, 400);
  assert.match(body.error.message, /"crm" não é um de sales, webhooks, records, all/);
  assert.equal((await toolClient(key)("pipelines_list")).isError, false);
});

test("With X-MCP-Readonly only tools that read are listed, and a call of another changes nothing", async ({ workspace: { key }, api }) => {
  const headers = { "X-API-Key": key, "X-MCP-Readonly": "true" };
  const names = await toolNames(key, headers);
  assert.ok(names.includes("deals_list") && names.every((name) => TOOLS.get(name)!.request.method === "GET"));
  const create = request("tools/call", { name: "contacts_create", arguments: { name: "Ana" } });
  const { body } = await post(create, headers);
  assert.match(body.error.message, /"contacts_create" altera dados/);
  assert.deepEqual((await api.get("/api-v1-contacts")).body.data, []);
  // If these values counted as false, they would permit what the client meant to forbid.
  for (const value of ["1", "yes", "true, true", ""]) {
    const { status, body } = await post(create, { ...headers, "X-MCP-Readonly": value });
    assert.deepEqual([status, body.error.code], [400, -32600], value);
  }
  assert.ok((await toolNames(key, { "X-MCP-Readonly": "false" })).includes("contacts_create"));
});

test("A key that calls a tool without its scope gets insufficient_scope as a result, for every tool", async ({ sql, workspace }) => {
  const { key } = await makeKey(sql, workspace.id, { scopes: ["nada:read"] });
  const call = toolClient(key);
  for (const [name, { definition, scope }] of TOOLS) {
    if (scope === null) continue;
    const fields = Object.keys(definition.inputSchema.properties);
    const ids = fields.filter((field) => /^(delivery_|contact_)?id$/.test(field));
    const { isError, data } = await call(name, Object.fromEntries(ids.map((id) => [id, UNKNOWN_ID])));
    assert.deepEqual([isError, data.error.code], [true, "insufficient_scope"], name);
    assert.match(data.error.message, new RegExp(`"${scope}"`));
  }
});
