import assert from "node:assert/strict";
import { join } from "node:path";
import { readPage } from "./page.ts";

const PICTURES = join(import.meta.dirname!, "../../docs/console");
/** A clone has every version of them. */
const MAX_BYTES = 200 * 1024;

const picturesIn = (page: string) =>
  [...page.matchAll(/!\[[^\]]+\]\(console\/([\w.-]+)\)/g)].map(([, name]) => name!);

Deno.test("docs/console.md and docs/console.en.md have the same sections and pictures, each in its language", async () => {
  const [pt, en] = [await readPage("console.md"), await readPage("console.en.md")];
  const sections = (page: string) => page.match(/^## .*$/gm)!.length;
  assert.equal(sections(en), sections(pt));
  assert.ok(picturesIn(pt).length > 0);
  assert.deepEqual(picturesIn(en), picturesIn(pt).map((name) => name.replace(".webp", ".en.webp")));
});

Deno.test("The pictures of docs/console are all shown, and have 200 KB together at most", async () => {
  const shown = [...picturesIn(await readPage("console.md")), ...picturesIn(await readPage("console.en.md"))];
  const files = await Array.fromAsync(Deno.readDir(PICTURES), ({ name }) => name);
  assert.deepEqual(files.toSorted(), shown.toSorted());
  const sizes = await Promise.all(files.map(async (name) => (await Deno.stat(join(PICTURES, name))).size));
  const bytes = sizes.reduce((total, size) => total + size, 0);
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
});
