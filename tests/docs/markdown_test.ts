import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { addressOf } from "../../site/markdown.ts";

const ROOT = join(import.meta.dirname!, "../..");
const WIDTH = 120;
/** The site's pages, whose links are addresses of other pages. */
const SITE = join(ROOT, "site/src/content/docs");
/** A path in backticks, relative to the repository's root or to the functions' folder. `tools/list` is a method of MCP. */
const PATH =
  /`((?:\.ci|bench|clients|console|docs|run|site|supabase|tests|tools(?!\/(?:list|call)`)|_shared|webhook-dispatcher)\/[\w./-]*)`/g;
const FUNCTIONS_FOLDERS = ["_shared", "webhook-dispatcher"];

async function markdownFiles(folder = ROOT): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory && !name.startsWith(".") && !["node_modules", "dist"].includes(name)) {
      files.push(...await markdownFiles(path));
    }
    if (name.endsWith(".md")) files.push(path);
  }
  return files.sort();
}

const pages = new Map<string, string>();
for (const file of await markdownFiles()) pages.set(file, await Deno.readTextFile(file));

/** The anchors that GitHub gives a page's headings: lower case, without punctuation, spaces as hyphens. */
function anchors(page: string): Set<string> {
  const headings = page.replace(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text]) =>
      text!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
    ),
  );
}

/**
 * The file that a link leads to. In a page of the site a link is another page's address, so this returns that page's
 * file. A link to a picture is the path of its file.
 */
function linkedFile(file: string, link: string): string {
  if (!file.startsWith(SITE) || link.endsWith(".webp")) return join(dirname(file), link);
  const address = addressOf(relative(SITE, file).replace(/\.md$/, ""));
  const linked = new URL(link, `http://site/${address}`).pathname.slice(1);
  // The reference and the files next to it exist only after a build. The test of the built site checks links to them.
  if (/^(en\/)?reference\//.test(linked)) return join(ROOT, "tools/reference/site_pages.ts");
  if (!/^$|\/$/.test(linked)) return join(SITE, `${linked} has no slash at its end`);
  return join(SITE, `${linked === "" || linked === "en/" ? `${linked}index` : linked.slice(0, -1)}.md`);
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

Deno.test("A line of Markdown has 120 characters at most, unless it is in a table or is a link", () => {
  const long: string[] = [];
  for (const [file, page] of pages) {
    // The spec keeps the text that was agreed on.
    if (relative(ROOT, file) === join("docs", "spec.md")) continue;
    // Generated sections may have lines of any length.
    const byHand = page.replace(
      /<!-- written by [^]*?<!-- end -->/g,
      (section) => section.replace(/.+/g, ""),
    );
    byHand.split("\n").forEach((line, index) => {
      if (line.startsWith("| ") || /^\S*\]\([^)]*\)\S*$/.test(line.trim())) return;
      if ([...line].length > WIDTH) long.push(`${relative(ROOT, file)}:${index + 1}`);
    });
  }
  assert.ok(pages.size > 0);
  assert.deepEqual(long, []);
});

Deno.test("Every link of a page leads to a file that is there, and to a heading that it has", async () => {
  const broken: string[] = [];
  let links = 0;
  for (const [file, page] of pages) {
    for (const [, target] of page.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      links++;
      const [path, anchor] = target!.split("#");
      const linked = path ? linkedFile(file, path) : file;
      const found = anchor === undefined
        ? await exists(linked)
        : anchors(pages.get(linked) ?? "").has(decodeURIComponent(anchor));
      if (!found) broken.push(`${relative(ROOT, file)}: ${target}`);
    }
  }
  assert.ok(links > 0);
  assert.deepEqual(broken, []);
});

Deno.test("Every file or folder that a page names is there", async () => {
  const missing: string[] = [];
  for (const [file, page] of pages) {
    for (const [, path] of page.matchAll(PATH)) {
      // These files exist only after a task that the page names has run.
      if (/\/(dist\/?|written\/?|openapi\.json)$/.test(path!)) continue;
      const base = FUNCTIONS_FOLDERS.includes(path!.split("/")[0]!) ? "supabase/functions" : "";
      if (!await exists(join(ROOT, base, path!))) missing.push(`${relative(ROOT, file)}: ${path}`);
    }
  }
  assert.deepEqual(missing, []);
});
