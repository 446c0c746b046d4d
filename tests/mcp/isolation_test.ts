// For every tool and every id that it accepts: another workspace's id is answered as an unknown one.
import assert from "node:assert/strict";
import { makeAppSamples } from "../../bench/harness/samples.ts";
import { TOOLS } from "../../supabase/functions/mcp/tools.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { toolClient } from "../support/mcp.ts";
import { makeLossReason, UNKNOWN_ID } from "../support/record_fixtures.ts";
import { makeOperation, makeSamples } from "../support/samples.ts";
import { test } from "../support/scenario.ts";

/** The other arguments without which a tool does not come to the id. */
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

  test(`${definition.name} answers another workspace's ${fields.join(", ")} as an unknown id`, async ({ sql, workspace }) => {
    const other = await makeWorkspace(sql);
    const own = await makeSamples(workspace.key, workspace.stages);
    const theirs = await makeSamples(other.key, other.stages);
    own.records["api-v1-operations"] = await makeOperation(sql, workspace.id);
    theirs.records["api-v1-operations"] = await makeOperation(sql, other.id);
    const deliveries = {
      own: await makeAppSamples(sql, workspace.id),
      theirs: await makeAppSamples(sql, other.id),
    };
    const subscription = (samples: Record<string, string>) => samples["app-v1-webhooks"]!;
    if (request.path.includes(":delivery_id")) {
      own.records[request.resource] = subscription(deliveries.own);
      theirs.records[request.resource] = subscription(deliveries.theirs);
    }
    const { records, ...known } = theirs;
    const foreign: Record<string, string> = {
      ...known,
      id: records[request.resource] ?? "",
      merge_id: records[request.resource] ?? "",
      delivery_id: deliveries.theirs["app-v1-deliveries"]!,
      pipeline_id: other.pipelineId,
      owner_id: other.memberId,
      object_id: known.contact_id,
      loss_reason_id: await makeLossReason(sql, other),
    };
    const needed = {
      ...NEEDED,
      deal_id: own.deal_id,
      stage_id: own.stage_id,
      id: own.records[request.resource],
      merge_id: own.records[request.resource],
      delivery_id: deliveries.own["app-v1-deliveries"],
    };
    const base = Object.fromEntries(
      Object.entries(needed).filter(([name]) =>
        required.includes(name) || (name in properties && name in NEEDED)
      ),
    );
    const call = toolClient(workspace.key);
    for (const field of fields) {
      assert.ok(foreign[field], `Add a ${field} of the other workspace here`);
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
