import assert from "node:assert/strict";
import { join } from "node:path";
import { isHeld } from "../../lab/performance/figure.ts";
import type { Results } from "../../lab/performance/results.ts";
import { tableOf } from "../../lab/performance/table.ts";

const ROOT = join(import.meta.dirname!, "../..");
const page = await Deno.readTextFile(join(ROOT, "docs/performance.md"));
const { at, machine, deno, postgres, figures }: Results = JSON.parse(
  await Deno.readTextFile(join(ROOT, "lab/results/latest.json")),
);

Deno.test("docs/performance.md shows every figure of the last whole run, and no other", () => {
  const held = figures.filter((figure) => figure.held).length;
  assert.ok(page.includes(`**${held} of ${figures.length} figures are held.**`));
  const shown = page.split("\n").filter((line) => line.startsWith("| "));
  const measured = tableOf(figures).filter((line) => line.startsWith("| "));
  assert.deepEqual(
    shown.filter((line) => line.includes("`deno task bench")).sort(),
    measured.slice(1).sort(),
  );
});

Deno.test("Whether a figure of the last run is held is what its number says", () => {
  for (const figure of figures) assert.equal(figure.held, isHeld(figure), figure.name);
  assert.ok(figures.length > 0 && [at, machine, deno, postgres].every(Boolean));
});
