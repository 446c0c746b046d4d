import assert from "node:assert/strict";
import { runShort } from "../support/lab.ts";

const ATTACKS = ["large-bodies", "hostile-headers", "random-keys", "large-pages"];

// Runs with the sizes of `--short`. docs/security.md has the figures of full runs, and of the other attacks.
Deno.test("Short runs of the attacks cost other callers no more than the limits allow", async () => {
  const { code, output } = await runShort("attacks", ...ATTACKS);
  assert.equal(code, 0, output);
});
