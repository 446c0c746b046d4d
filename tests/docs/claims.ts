// Opens the site's pages for tests. Each test says how many fenced blocks of each language it runs, sends or compares.
// claims_test.ts reads these numbers in the calls of openPage, and fails if there is a block that no test uses.
import assert from "node:assert/strict";
import { join } from "node:path";
import { withPrograms } from "../../site/markdown.ts";
import { filesOf } from "../../site/sizes.ts";

/** The folder of the site's pages. */
export const PAGES = join(import.meta.dirname!, "../../site/src/content/docs");

/** A fenced block: the first word of its info string (`text` without one), and its lines. */
export interface Block {
  language: string;
  content: string;
}

/** A page of the site in both languages. */
export interface SitePage {
  /** The file's path without its extension, which is also its address: `webhooks`, `index`. */
  slug: string;
  /** The file's text in Portuguese, at the site's root. */
  pt: string;
  /** The file's text in English, below `/en/`. */
  en: string;
}

/**
 * Opens a page whose blocks the calling test uses. Write slug and counts as literals: claims_test.ts reads the call.
 * Use "all" as the count in a test that runs however many blocks there are.
 *
 *     const page = await openPage("import-a-csv", { csv: 1, python: 1, sh: 2 });
 *     await reader.write("contacts.csv", page.blocks.csv[0]!);
 *
 * One test file must use all of a page's blocks in a language; blocks in another language may belong to another file. A
 * test must run every block, send it, or compare it with what a command printed.
 *
 * @returns the page, and its blocks by language, in the page's order; they are the same in Portuguese and English
 *  (site_languages_test.ts)
 * @throws AssertionError if the number of blocks is wrong
 */
export async function openPage<Language extends string>(
  slug: string,
  counts: Record<Language, number | "all">,
): Promise<SitePage & { blocks: Record<Language, string[]> }> {
  const page = await readPage(slug);
  const found = Map.groupBy(blocksOf(page.pt), (block) => block.language);
  const blocks = {} as Record<Language, string[]>;
  for (const [language, count] of Object.entries(counts) as [Language, number | "all"][]) {
    blocks[language] = found.get(language)?.map(({ content }) => content) ?? [];
    if (count !== "all") {
      assert.equal(blocks[language].length, count, `${language} blocks of the page ${slug}`);
    }
  }
  return { ...page, blocks };
}

/** The fenced blocks of a page, with or without indentation as in a list. */
export function blocksOf(text: string): Block[] {
  const blocks = text.matchAll(/^( *)(```+)(\w*)[^\n]*\n([^]*?)^\1\2[ ]*$/gm);
  return [...blocks].map(([, indent, , language, content]) => ({
    language: language || "text",
    content: content!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** Every page of the site: each Portuguese page with its English translation. */
export async function sitePages(): Promise<SitePage[]> {
  const slugs = (await markdownFiles(PAGES)).map((path) => path.replace(/^en\//, "").replace(/\.md$/, ""));
  return await Promise.all([...new Set(slugs)].sort().map(readPage));
}

async function readPage(slug: string): Promise<SitePage> {
  const [pt, en] = await Promise.all([
    readMarkdown(join(PAGES, slug)),
    readMarkdown(join(PAGES, "en", slug)),
  ]);
  return { slug, pt, en };
}

const readMarkdown = async (path: string) => withPrograms(await Deno.readTextFile(`${path}.md`));

/** The paths of the Markdown files in a folder, at any depth, relative to the folder. */
export async function markdownFiles(folder: string): Promise<string[]> {
  return (await Array.fromAsync(filesOf(folder))).filter((path) => path.endsWith(".md"));
}
