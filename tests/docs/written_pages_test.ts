import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { pages } from "../../tools/pages/all.ts";
import { replaceSection, table } from "../../tools/pages/page.ts";

const ROOT = join(import.meta.dirname!, "../..");

for (const { file, write } of pages) {
  Deno.test(`${relative(ROOT, file)} is what \`deno task docs\` writes`, async () => {
    const page = await Deno.readTextFile(file);
    assert.equal(write(page), page);
  });
}

Deno.test("A section is replaced between its markers, and a page that lacks them is refused", () => {
  const begin = "<!-- written by deno task docs: x -->";
  assert.equal(
    replaceSection(`Before\n\n${begin}\nold\n<!-- end -->\n\nAfter`, "x", ["new"]),
    `Before\n\n${begin}\n\nnew\n\n<!-- end -->\n\nAfter`,
  );
  for (const page of ["", begin, `${begin} ${begin} <!-- end -->`]) {
    assert.throws(() => replaceSection(page, "x", []), /exactly once/);
  }
});

Deno.test("A cell that contains `|` stays one cell", () => {
  assert.deepEqual(table(["a", "b"], [["x|y", ""]]), ["| a | b |", "|---|---|", "| x\\|y | |"]);
});
