import assert from "node:assert/strict";
import { TEXTS as OF_IMPORT } from "../../console/pages/import/texts.ts";
import { TEXTS } from "../../console/strings/texts.ts";
import { fill } from "../../console/strings/translate.ts";

const placeholdersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();

Deno.test("Every text of the console has the same placeholders in both languages", () => {
  for (const [key, [pt, en]] of [...Object.entries(TEXTS), ...Object.entries(OF_IMPORT)]) {
    assert.ok(pt.trim() !== "" && en.trim() !== "", key);
    assert.deepEqual(placeholdersIn(en), placeholdersIn(pt), key);
  }
});

Deno.test("No two files of texts have the same key: the later one would replace the other", async () => {
  const folder = new URL("../../console/strings/", import.meta.url);
  const keys: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (["locale.ts", "strings.ts", "texts.ts", "translate.ts"].includes(name)) continue;
    const module: Record<string, object> = await import(new URL(name, folder).href);
    keys.push(...Object.values(module).flatMap(Object.keys));
  }
  assert.deepEqual(keys.toSorted(), Object.keys(TEXTS).sort());
});

Deno.test("Every text with a count has a singular and a plural", () => {
  for (const texts of [TEXTS, OF_IMPORT]) {
    const counted = Object.keys(texts).filter((key) => /\.(one|many)$/.test(key));
    assert.ok(counted.length >= 10);
    for (const key of counted) {
      const other = key.endsWith(".one") ? key.replace(/one$/, "many") : key.replace(/many$/, "one");
      assert.ok(Object.hasOwn(texts, other), key);
    }
  }
});

Deno.test("fill inserts a value unchanged, even if it looks like a placeholder", () => {
  assert.equal(fill("{name} e {n}", { name: "{n} $& $1", n: 2 }), "{n} $& $1 e 2");
  assert.equal(fill("{unknown}"), "{unknown}");
});
