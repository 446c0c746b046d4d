// The site says the same in Portuguese and in English, so that readers of one language miss nothing.
import assert from "node:assert/strict";
import { parsePage } from "../../site/markdown.ts";
import { SLUGS } from "../../site/sidebar.ts";
import { blocksOf, markdownFiles, PAGES, sitePages } from "./claims.ts";

Deno.test("Every page of the site is in both languages and in the sidebar, and every entry of the sidebar has its page", async () => {
  const expected = SLUGS.flatMap((slug) => [`${slug}.md`, `en/${slug}.md`]);
  assert.deepEqual((await markdownFiles(PAGES)).sort(), expected.sort());
});

Deno.test("Every page of the site has the same code in both languages", async () => {
  for (const { slug, pt, en } of await sitePages()) assert.deepEqual(blocksOf(en), blocksOf(pt), slug);
});

Deno.test("Every page of the site has headings of the same levels, and tables of the same shape, in both languages", async () => {
  for (const { slug, pt, en } of await sitePages()) assert.deepEqual(shapeOf(en), shapeOf(pt), slug);
});

Deno.test("No two pages of the site have the same title or description in one language", async () => {
  for (const language of ["pt", "en"] as const) {
    const pages = (await sitePages()).map((page) => parsePage(page.slug, page[language]));
    assert.ok(pages.length > 0);
    for (const name of ["title", "description"] as const) {
      assert.equal(new Set(pages.map((page) => page[name])).size, pages.length, name);
    }
  }
});

/** The levels of a page's headings, and the number of cells of each row of its tables, in order. */
function shapeOf(page: string): string[] {
  const text = page.replaceAll(/^( *)(```+)[^]*?^\1\2 *$/gm, "");
  const lines = text.match(/^(#{1,6} .*|\|.*\|)$/gm) ?? [];
  return lines.map((line) =>
    line.startsWith("#") ? line.match(/^#+/)![0] : `${line.replaceAll("\\|", "").split("|").length - 2} cells`
  );
}
