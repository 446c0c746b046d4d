import assert from "node:assert/strict";
import { TEXTS as OF_IMPORT } from "../../console/pages/import/texts.ts";
import { TEXTS } from "../../console/strings/texts.ts";
import { sitePages } from "./claims.ts";

const PICTURES = new URL("../../docs/console/", import.meta.url);
/** Limit for all pictures together: every clone of the repository downloads all their versions. */
const MAX_BYTES = 100 * 1024;

const guide = (await sitePages()).find(({ slug }) => slug === "console")!;

for (const language of ["pt", "en"] as const) {
  Deno.test(`The console's guide shows every picture in docs/console (${language})`, async () => {
    const shown = [...guide[language].matchAll(/!\[[^\]]+\]\([./]+docs\/console\/([\w.-]+)\)/g)];
    const files = await Array.fromAsync(Deno.readDir(PICTURES), ({ name }) => name);
    assert.deepEqual(files.toSorted(), shown.map(([, name]) => name!).sort());
    let bytes = 0;
    for (const file of files) bytes += (await Deno.stat(new URL(file, PICTURES))).size;
    assert.ok(bytes > 0 && bytes <= MAX_BYTES, `${bytes} bytes`);
  });

  Deno.test(`Every bold text in the console's guide is a text of the console (${language})`, () => {
    const there = [...Object.values(TEXTS), ...Object.values(OF_IMPORT)].map((text) =>
      text[language === "pt" ? 0 : 1].toLowerCase()
    );
    const named = [...guide[language].matchAll(/\*\*([^*]+)\*\*/g)].map(([, label]) => label!);
    assert.ok(named.length > 50);
    const missing = named.filter((label) => {
      const parts = label.toLowerCase().replaceAll("\n", " ").split(/ → |, (?=trying|tentando)/);
      return !parts.every((part) => there.some((text) => text.includes(part)));
    });
    assert.deepEqual(missing, []);
  });
}
