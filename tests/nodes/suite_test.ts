import assert from "node:assert/strict";
import { needing } from "../support/needing.ts";
import { NODE_PROGRAMS, startNodes } from "../support/nodes.ts";
import { giveOut, testFiles } from "../support/selection.ts";
import { runGroup } from "../support/group.ts";

/** Files that send requests to all endpoints that take an id, with keys and as members, and some other requests. */
const SOME = [
  "tests/contract/every_id_test.ts",
  "tests/api/proposals_test.ts",
  "tests/app/invitations_test.ts",
  "tests/app/sessions_test.ts",
];

/** All tests that send requests. They run instead of `SOME` if WHOLE_SUITE is set (`.ci/run nodes`), in 11 minutes. */
const ALL = ["api", "app", "contract", "http", "mcp", "webhooks"].map((folder) => `tests/${folder}`);

/** Files with a test that needs a single database: it reads the Postgres log, or writes a key without a slot. */
const ONE_DATABASE = ["tests/api/erase/traces_test.ts", "tests/contract/credentials_test.ts"];

async function suite(): Promise<string[]> {
  if (!Deno.env.get("WHOLE_SUITE")) return SOME.map((file) => Deno.realPathSync(file));
  const files = await Promise.all(ALL.map((folder) => testFiles(Deno.realPathSync(folder))));
  return files.flat().filter((path) => !ONE_DATABASE.some((file) => path.endsWith(file)));
}

Deno.test(needing(NODE_PROGRAMS, {
  name: "The contract's tests succeed through the proxy, with all workspaces on node 1",
  fn: async () => {
    await using nodes = await startNodes();
    const stackEnv = {
      DATABASE_URL: nodes.nodes[1].url,
      STACK_FUNCTIONS_DATABASE_URL: nodes.proxy.functionsDatabaseUrl,
    };
    const next = giveOut(await suite(), 1);
    const results = await runGroup({ next, options: [], env: {}, stackEnv, live: false });
    assert.ok(results.some(({ passed }) => passed > 0));
    assert.deepEqual(results.flatMap(({ failures }) => failures), []);
    assert.ok(results.every(({ failed }) => failed === 0));
  },
}));
