// The title of a test that checks a promise of the contract names its part, as in "(spec 4.1)".
import assert from "node:assert/strict";
import { join } from "node:path";

const TESTS = join(import.meta.dirname!, "..");

Deno.test("Every part of the contract is named by the title of a test, and every named part exists", async () => {
  const spec = await Deno.readTextFile(join(TESTS, "../docs/spec.md"));
  const parts = [...spec.matchAll(/^#{2,3} (\d+(?:\.\d+)*)/gm)].map(([, part]) => part!);
  const named = new Set<string>();
  for await (const source of readSources(TESTS)) {
    const titles = source.matchAll(/^.*(?:\btest\(|\.step\(|\bname:).*\(spec ([\d., ]+)\)/gm);
    for (const [, list] of titles) for (const part of list!.split(", ")) named.add(part);
  }
  assert.deepEqual([...named].filter((part) => !parts.includes(part)), []);
  // Parts 2 and 6 consist of their sections.
  const isNamed = (part: string) => [...named].some((name) => name === part || name.startsWith(`${part}.`));
  assert.deepEqual(parts.filter((part) => !isNamed(part)), []);
});

async function* readSources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory && name !== "node_modules") yield* readSources(path);
    else if (name.endsWith("_test.ts") || path.includes("support")) yield await Deno.readTextFile(path);
  }
}
