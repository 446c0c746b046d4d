// Which tools a key sees, and what it gets from the others.
import assert from "node:assert/strict";
import { SCOPES } from "../../supabase/functions/_shared/contract/scopes.ts";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { makeKey } from "../support/fixtures.ts";
import { toolClient, toolNames } from "../support/mcp.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";

test("A key is offered the tools of its scopes and no others, scope by scope", async ({ sql, workspace }) => {
  const free = [...TOOLS.values()].filter(({ scope }) => scope === null);
  assert.deepEqual((await toolNames(workspace.key)).sort(), [...TOOLS.keys()].sort());
  for (const scope of SCOPES) {
    const { key } = await makeKey(sql, workspace.id, { scopes: [scope] });
    const own = [...TOOLS.values()].filter((tool) => tool.scope === scope);
    assert.ok(own.length > 0, scope);
    assert.deepEqual(await toolNames(key), [...own, ...free].map(({ definition }) => definition.name).sort());
  }
});

test("A key that calls a tool without its scope gets insufficient_scope as a result, for every tool", async ({ sql, workspace }) => {
  const { key } = await makeKey(sql, workspace.id, { scopes: ["nada:read"] });
  const call = toolClient(key);
  for (const { definition, scope } of TOOLS.values()) {
    if (scope === null) continue;
    const ids = Object.keys(definition.inputSchema.properties).filter((name) =>
      /^(delivery_)?id$/.test(name)
    );
    const { isError, data } = await call(
      definition.name,
      Object.fromEntries(ids.map((name) => [name, UNKNOWN_ID])),
    );
    assert.deepEqual(
      { isError, code: data.error.code },
      { isError: true, code: "insufficient_scope" },
      definition.name,
    );
    assert.match(data.error.message, new RegExp(`"${scope}"`));
  }
});
