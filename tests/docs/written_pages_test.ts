import assert from "node:assert/strict";
import { join, relative, resolve } from "node:path";
import { pages } from "../../contract/pages/all.ts";

const ROOT = join(import.meta.dirname!, "../..");

for (const { file, write } of pages) {
  const path = resolve(ROOT, file);
  Deno.test(`${relative(ROOT, path)} is what \`deno task docs\` writes`, async () => {
    const page = await Deno.readTextFile(path);
    assert.equal(await write(page), page);
  });
}
