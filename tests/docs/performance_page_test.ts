import assert from "node:assert/strict";
import { isHeld } from "../../bench/harness/figures.ts";
import { readPage, readResults, showRun } from "../../bench/harness/results.ts";

const results = await readResults("latest");
const attacks = await readResults("attacks");

Deno.test("docs/performance.md shows the figures of the last whole run of the bench", async () => {
  const page = await readPage("latest");
  assert.equal(showRun("latest", results, page), page);
});

Deno.test("docs/security.md shows the figures of the last whole run of the attacks", async () => {
  const page = await readPage("attacks");
  assert.equal(showRun("attacks", attacks, page), page);
});

Deno.test("Each figure of a run is marked as held exactly where its value reaches the target", () => {
  for (const { at, machine, deno, postgres, figures } of [results, attacks]) {
    for (const figure of figures) assert.equal(figure.held, isHeld(figure), figure.name);
    assert.ok(figures.length > 0 && [at, machine, deno, postgres].every(Boolean));
  }
});
