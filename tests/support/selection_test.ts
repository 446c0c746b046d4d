import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { SECONDS, selectFiles, shareAmong } from "./selection.ts";

const TESTS = join(import.meta.dirname!, "..");

async function namesOf(extent: Parameters<typeof selectFiles>[0]): Promise<string[]> {
  const { atOnce, alone, waiting, browser } = await selectFiles(extent);
  return [...atOnce, ...alone, ...waiting, ...browser].map((path) => relative(TESTS, path));
}

Deno.test("test and test:added have together every file of test:all", async () => {
  const [some, added, all] = [await namesOf("default"), await namesOf("added"), await namesOf("all")];
  assert.deepEqual([...new Set([...some, ...added])].sort(), all.toSorted());
  assert.equal(new Set(all).size, all.length);
});

Deno.test("test:added has what is slow, what needs programs, and what has more cases with --all", async () => {
  const added = await namesOf("added");
  for (
    const name of [
      "lab/chaos_test.ts",
      "docs/curls_test.ts",
      "contract/property_test.ts",
      "../browser/console_test.ts",
    ]
  ) {
    assert.ok(added.includes(name), name);
  }
  assert.ok(!added.includes("api/contacts_test.ts"));
});

Deno.test("what measures runs alone, after the others", async () => {
  const { atOnce, alone } = await selectFiles("all");
  const isMeasuring = (path: string) => relative(TESTS, path).startsWith("lab/");
  assert.ok(alone.length > 0 && alone.every(isMeasuring));
  assert.ok(!atOnce.some(isMeasuring));
});

Deno.test("the groups have every file once, and none is longer than another by more than a file", async () => {
  const { atOnce } = await selectFiles("default");
  const groups = shareAmong(3, atOnce);
  assert.deepEqual(groups.flat().sort(), atOnce.toSorted());
  const secondsOf = (path: string) => SECONDS[relative(TESTS, path)] ?? 2;
  const lengths = groups.map((files) => files.reduce((total, path) => total + secondsOf(path), 0));
  const longest = Math.max(...atOnce.map(secondsOf));
  assert.ok(Math.max(...lengths) - Math.min(...lengths) <= longest, lengths.join());
});

Deno.test("every file whose time was measured is there", async () => {
  const all = await namesOf("all");
  assert.deepEqual(Object.keys(SECONDS).filter((name) => !all.includes(name)), []);
});
