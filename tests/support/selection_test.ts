import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { configOf, giveOut, LONGEST, selectFiles } from "./selection.ts";

const TESTS = join(import.meta.dirname!, "..");

async function namesOf(extent: Parameters<typeof selectFiles>[0]): Promise<string[]> {
  const { atOnce, alone, waiting } = await selectFiles(extent);
  return [...atOnce, ...alone, ...waiting.flat()].map((path) => relative(TESTS, path));
}

Deno.test("test and test:added together have every file of test:all", async () => {
  const [some, added, all] = [await namesOf("default"), await namesOf("added"), await namesOf("all")];
  assert.deepEqual([...new Set([...some, ...added])].sort(), all.toSorted());
  assert.equal(new Set(all).size, all.length);
});

Deno.test("test:added has the files that are slow or need programs; files that measure times run last in one group, files that wait run beside others", async () => {
  const { atOnce, alone, waiting } = await selectFiles("added");
  const names = (paths: string[]) => paths.map((path) => relative(TESTS, path));
  for (const name of ["docs/curls_test.ts", "browser/console_test.ts", "sql/schema_test.ts"]) {
    assert.ok(names(atOnce).includes(name), name);
  }
  assert.ok(!names(atOnce).includes("contract/property_test.ts"));
  assert.deepEqual(names(alone), ["lab/attacks_test.ts", "lab/bench_test.ts"]);
  assert.deepEqual(names(waiting.at(-1)!), ["lab/chaos_test.ts"]);
  assert.deepEqual((await selectFiles("default")).waiting, []);
});

Deno.test("the groups get every file once, each of the longest first and alone, and single files at the end", async () => {
  const { atOnce } = await selectFiles("default");
  const next = giveOut(atOnce, 3);
  const batches: string[][] = [];
  for (let files = next(); files !== null; files = next()) batches.push(files);
  assert.equal(next(), null);
  assert.deepEqual(batches.flat().sort(), atOnce.toSorted());
  const long = LONGEST.map((name) => join(TESTS, name)).filter((path) => atOnce.includes(path));
  assert.deepEqual(batches.slice(0, long.length), long.map((path) => [path]));
  assert.deepEqual(batches.slice(-3).map(({ length }) => length), [1, 1, 1]);
  assert.ok(batches.every(({ length }) => length <= 16) && batches.length < atOnce.length / 2);
});

Deno.test("the files of a process have the same packages", async () => {
  const { atOnce } = await selectFiles("added");
  const next = giveOut(atOnce, 4);
  for (let files = next(); files !== null; files = next()) {
    assert.equal(new Set(files.map(configOf)).size, 1, files.join());
  }
});

Deno.test("every file in the list of the longest exists", async () => {
  const all = await namesOf("all");
  assert.deepEqual(LONGEST.filter((name) => !all.includes(name)), []);
});
