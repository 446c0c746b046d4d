import assert from "node:assert/strict";
import { en } from "../../console/strings/en.ts";
import { pt } from "../../console/strings/pt.ts";
import { fill } from "../../console/strings/translate.ts";

const placeholdersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();

Deno.test("Every text of the console is in both languages, with the same placeholders", () => {
  assert.deepEqual(Object.keys(en).sort(), Object.keys(pt).sort());
  for (const [key, text] of Object.entries(pt)) {
    const translated = en[key as keyof typeof en];
    assert.ok(text.trim() !== "" && translated.trim() !== "", key);
    assert.deepEqual(placeholdersIn(translated), placeholdersIn(text), key);
  }
});

Deno.test("No two files of texts have the same key: the later one would replace the other", async () => {
  for (const language of ["pt", "en"]) {
    const folder = new URL(`../../console/strings/${language}/`, import.meta.url);
    const keys: string[] = [];
    for await (const { name } of Deno.readDir(folder)) {
      const module: Record<string, Record<string, string>> = await import(new URL(name, folder).href);
      for (const table of Object.values(module)) keys.push(...Object.keys(table));
    }
    assert.deepEqual(keys.filter((key, index) => keys.indexOf(key) !== index), []);
    assert.equal(keys.length, Object.keys(pt).length, language);
  }
});

Deno.test("A text that counts has a singular and a plural", () => {
  const counted = Object.keys(pt).filter((key) => /\.(one|many)$/.test(key));
  assert.ok(counted.length > 10);
  for (const key of counted) {
    const other = key.endsWith(".one") ? key.replace(/one$/, "many") : key.replace(/many$/, "one");
    assert.ok(Object.hasOwn(pt, other), key);
  }
});

Deno.test("Values take the place of their placeholders, whatever they contain", () => {
  assert.equal(fill("{name} e {n}", { name: "{n} $& $1", n: 2 }), "{n} $& $1 e 2");
  assert.equal(fill("{unknown}"), "{unknown}");
});
