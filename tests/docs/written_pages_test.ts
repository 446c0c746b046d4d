import assert from "node:assert/strict";
import { join } from "node:path";
import { pages } from "../../contract/pages/all.ts";

const ROOT = join(import.meta.dirname!, "../..");

for (const { file, write } of pages) {
  Deno.test(`${file} is what \`deno task docs\` writes`, async () => {
    const page = await Deno.readTextFile(join(ROOT, file));
    assert.equal(await write(page), page);
  });
}
