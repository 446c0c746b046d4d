import assert from "node:assert/strict";
import { runShort } from "../support/lab.ts";

// Runs with the sizes of `--short`; docs/reliability.md has the figures of full runs.
Deno.test("Short runs reach the figures of docs/reliability.md", async () => {
  const { code, output } = await runShort("reliability");
  assert.equal(code, 0, output);
});
