import assert from "node:assert/strict";
import { readPage } from "./page.ts";

const PICTURES = new URL("../../docs/console/", import.meta.url);
/** Limit for each picture: every clone downloads all versions of the pictures. */
const MAX_BYTES = 100 * 1024;

Deno.test("docs/console.md shows every picture in docs/console, and they have at most 100 KB together", async () => {
  const shown = [...(await readPage("console.md")).matchAll(/!\[[^\]]+\]\(console\/([\w.-]+)\)/g)];
  const files = await Array.fromAsync(Deno.readDir(PICTURES), ({ name }) => name);
  assert.ok(files.length > 0);
  assert.deepEqual(files.toSorted(), shown.map(([, name]) => name!).sort());
  let bytes = 0;
  for (const file of files) bytes += (await Deno.stat(new URL(file, PICTURES))).size;
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
});
