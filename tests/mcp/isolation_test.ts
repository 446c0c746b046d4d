// For every tool and every id that it accepts: another workspace's id is answered as an unknown one.
import assert from "node:assert/strict";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { toolClient } from "../support/mcp.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { test } from "../support/scenario.ts";
import { idsByField, twoWorkspaces } from "../support/two_workspaces.ts";

/** The further arguments that a tool needs, because it would refuse the call before it looks at the id. */
const NEEDED: Record<string, string> = {
  name: "Ana",
  first_name: "Ana",
  title: "Venda",
  body: "Olá",
  event: "deal.won",
  since: "2026-01-01",
  match_by: "external_id",
  external_id: "de-outro-workspace",
};

for (const { definition, request } of TOOLS.values()) {
  const { properties, required } = definition.inputSchema;
  const fields = Object.keys(properties).filter((name) =>
    properties[name]!["format"] === "uuid" && name !== "cursor"
  );
  if (fields.length === 0) continue;

  test(`${definition.name} answers another workspace's ${fields.join(", ")} as an unknown id`, async ({ sql }) => {
    const { mine, theirs } = await twoWorkspaces(sql);
    const foreign = idsByField(theirs, request.resource, request.path);
    const needed = { ...idsByField(mine, request.resource, request.path), ...NEEDED };
    const base = Object.fromEntries(
      Object.entries(needed).filter(([name]) =>
        required.includes(name) || (name in properties && name in NEEDED)
      ),
    );
    const call = toolClient(mine.key);
    for (const field of fields) {
      assert.ok(foreign[field], `Add a ${field} to tests/support/two_workspaces.ts`);
      // A lead with an unknown owner is created with another owner, so its ids differ.
      if (request.resource === "api-v1-leads" && field === "owner_id") continue;
      const [theirReply, unknown] = [
        await call(definition.name, { ...base, [field]: foreign[field] }),
        await call(definition.name, { ...base, [field]: UNKNOWN_ID }),
      ];
      for (const { data } of [theirReply, unknown]) delete data.error?.request_id;
      assert.deepEqual(theirReply.data, unknown.data, field);
      if (request.path.includes(`:${field}`)) {
        assert.equal(theirReply.data.error?.code, "not_found", JSON.stringify(theirReply.data));
      }
    }
  });
}
