import assert from "node:assert/strict";
import { needing } from "../support/needing.ts";
import { NODE_PROGRAMS, startNodes } from "../support/nodes.ts";
import { giveAll } from "../support/selection.ts";
import { runShard } from "../support/shard.ts";

/** Files that send requests to every endpoint, with keys and as members. */
const SUITE = [
  "tests/contract/every_id_test.ts",
  "tests/api/proposals_test.ts",
  "tests/app/invitations_test.ts",
  "tests/app/sessions_test.ts",
];

Deno.test(needing(NODE_PROGRAMS, {
  name: "The contract's tests pass through the proxy, with all workspaces on node 1",
  fn: async () => {
    await using nodes = await startNodes();
    const stackEnv = {
      DATABASE_URL: nodes.nodes[1].url,
      STACK_FUNCTIONS_DATABASE_URL: nodes.proxy.functionsDatabaseUrl,
    };
    const next = giveAll(SUITE.map((file) => Deno.realPathSync(file)));
    const [result] = await runShard({ next, options: [], env: {}, stackEnv, live: false });
    assert.ok(result!.passed > 0 && result!.failed === 0, result!.failures.join("\n"));
  },
}));
