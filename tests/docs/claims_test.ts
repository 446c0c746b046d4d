import assert from "node:assert/strict";
import { join } from "node:path";
import { testFiles } from "../support/selection.ts";
import { blocksOf, sitePages } from "./claims.ts";

const ROOT = join(import.meta.dirname!, "../..");
/** Matches a call of `openPage`, whose arguments must be literals. */
const CALL = /openPage\(\s*"([^"]+)",\s*\{([^}]*)\}/g;

/** Maps `slug language` to the test file that uses these blocks, and the number of blocks that it expects. */
const claims = new Map<string, { file: string; count: number | "all" }>();
const takenTwice: string[] = [];
for (const folder of ["tests", "clients/examples"]) {
  for (const file of await testFiles(join(ROOT, folder)).catch(() => [])) {
    for (const [, slug, counts] of (await Deno.readTextFile(file)).matchAll(CALL)) {
      for (const [, language, count] of counts!.matchAll(/(\w+): (\d+|"all")/g)) {
        const name = `${slug} ${language}`;
        const claimed = claims.get(name);
        if (claimed !== undefined && claimed.file !== file) takenTwice.push(name);
        claims.set(name, { file, count: count === '"all"' ? "all" : Number(count) });
      }
    }
  }
}

Deno.test("Every fenced block of the site's pages is run, sent or compared by a test", async () => {
  const found = new Map<string, number>();
  for (const { slug, pt } of await sitePages()) {
    for (const [language, blocks] of Map.groupBy(blocksOf(pt), ({ language }) => language)) {
      found.set(`${slug} ${language}`, blocks.length);
    }
  }
  assert.ok(found.size > 0);
  const claimed = new Map(
    [...claims].map(([name, { count }]) => [name, count === "all" ? found.get(name) : count]),
  );
  assert.deepEqual(Object.fromEntries([...claimed].sort()), Object.fromEntries([...found].sort()));
  assert.deepEqual(takenTwice, []);
});
