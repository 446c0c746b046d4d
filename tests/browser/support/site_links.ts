import { join } from "node:path";
import { filesOf } from "../../../site/sizes.ts";

/**
 * Finds broken links in every page of a build and in llms.txt: to pages, headings, styles, scripts and Markdown files.
 *
 * @param site the address that the site was built for, with a slash at its end
 * @returns each broken link as `<page>: <link>`
 */
export async function findBrokenLinks(folder: string, site: string): Promise<string[]> {
  const pages = new Map<string, string>();
  const files = new Set<string>();
  for await (const path of filesOf(folder)) {
    files.add(path);
    if (/\.html$|\.md$|llms\.txt$/.test(path)) {
      pages.set(path, await Deno.readTextFile(join(folder, path)));
    }
  }
  const broken: string[] = [];
  for (const [path, text] of pages) {
    const links = path.endsWith(".html")
      ? text.matchAll(/\s(?:href|src)="([^"]+)"/g)
      : withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g);
    for (const [, link] of links) {
      const url = new URL(
        link!.replaceAll("&amp;", "&"),
        site + path.replace(/index\.html$/, ""),
      );
      if (url.origin !== new URL(site).origin) continue;
      // A link to another site on this origin does not begin with the site's address, so no file matches: it is broken.
      const target = decodeURIComponent(url.href.replace(/[?#].*/, "").replace(site, "")).replace(
        /(^|\/)$/,
        "$1index.html",
      );
      const isThere = files.has(target) &&
        (url.hash === "" || !target.endsWith(".html") || hasAnchor(pages.get(target)!, url.hash));
      if (!isThere) broken.push(`${path}: ${link}`);
    }
  }
  if (pages.size === 0) throw new Error(`No page in ${folder}`);
  return [...new Set(broken)];
}

const hasAnchor = (html: string, hash: string) =>
  html.includes(`id="${decodeURIComponent(hash.slice(1))}"`) || hash === "#_top";

const withoutCode = (markdown: string) => markdown.replaceAll(/^( *)(```+)[^]*?^\1\2 *$/gm, "");
