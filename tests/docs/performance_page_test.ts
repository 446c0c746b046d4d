import assert from "node:assert/strict";
import { isHeld } from "../../lab/harness/figures.ts";
import { tableOf } from "../../lab/harness/figures.ts";
import { readResults } from "../../lab/harness/results.ts";
import { readPage } from "./page.ts";

const { at, machine, deno, postgres, figures } = await readResults("latest");

Deno.test("docs/performance.md shows every figure of the last whole run, and no other", async () => {
  const page = await readPage("performance.md");
  const shown = page.split("\n").filter((line) => line.includes("| `deno task bench"));
  assert.deepEqual(shown.sort(), tableOf(figures).slice(2).sort());
});

Deno.test("Each figure of the last run is marked as held exactly where its value reaches the target", () => {
  for (const figure of figures) assert.equal(figure.held, isHeld(figure), figure.name);
  assert.ok(figures.length > 0 && [at, machine, deno, postgres].every(Boolean));
});
