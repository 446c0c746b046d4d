import assert from "node:assert/strict";
import { startStackProcess } from "../../run/local/stack_process.ts";
import { needing } from "../support/needing.ts";
import { NODE_PROGRAMS, startNodes } from "../support/nodes.ts";
import { makeDataDir } from "../support/own_stack.ts";

/** Files that send every endpoint requests, with keys and as members, as on a single database. */
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
    const dataDir = await makeDataDir();
    try {
      const stack = await startStackProcess(dataDir, {
        DATABASE_URL: nodes.nodes[1].url,
        STACK_FUNCTIONS_DATABASE_URL: nodes.proxy.functionsDatabaseUrl,
      });
      try {
        const { success, stdout } = await new Deno.Command(Deno.execPath(), {
          args: ["test", "-A", "--no-check", ...SUITE],
          env: { DATA_DIR: dataDir, NO_COLOR: "1" },
        }).output();
        assert.ok(success, new TextDecoder().decode(stdout).slice(-10_000));
      } finally {
        await stack.stop();
      }
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
}));
