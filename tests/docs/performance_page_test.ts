import assert from "node:assert/strict";
import { isHeld } from "../../lab/harness/figures.ts";
import { pages } from "../../lab/performance/page.ts";
import { readResults } from "../../lab/performance/results.ts";

Deno.test("docs/performance.md shows every figure of the last whole run, and no other", async () => {
  for (const { file, write } of pages) {
    const page = await Deno.readTextFile(file);
    // A table outside of the sections that are written would be of another run.
    const byHand = page.replace(/<!-- written by [^]*?<!-- end -->/g, "");
    assert.ok(!byHand.includes("| `deno task bench"));
    assert.equal(page, await write(page), `${file} is out of date: run \`deno task docs\``);
  }
});

Deno.test("Whether a figure of the last run is held is what its number says", async () => {
  const { at, machine, deno, postgres, figures } = await readResults();
  for (const figure of figures) assert.equal(figure.held, isHeld(figure), figure.name);
  assert.ok(figures.length > 0 && [at, machine, deno, postgres].every(Boolean));
});
