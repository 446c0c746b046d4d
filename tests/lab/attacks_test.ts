import assert from "node:assert/strict";
import { runShort } from "../support/lab.ts";

/** Titles, by the argument that selects the attack. */
const TITLES = {
  "large-bodies": "Large bodies without a valid credential do not delay other callers, and take no memory",
  "hostile-headers":
    "A header that is expensive to read does not delay other callers, whatever key comes with it",
  "random-keys": "Random keys and tokens do not delay other callers",
  "large-pages": "Pages of the largest records stay small, and do not delay other callers",
};

// Runs with the sizes of `--short`. docs/security.md has the figures of full runs, and of the other attacks.
Deno.test("Short runs of the attacks cost other callers no more than the limits allow", async (t) => {
  const { output } = await runShort("attacks", ...Object.keys(TITLES));
  for (const [name, title] of Object.entries(TITLES)) {
    const rows = output.split("\n").filter((line) => line.endsWith(`attacks ${name}\` |`));
    await t.step(
      title,
      () => assert.ok(rows.length > 0 && rows.every((row) => row.includes("| yes |")), output),
    );
  }
});
