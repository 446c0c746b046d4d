/**
 * `deno task site`: builds the site with the reference into site/dist or the given folder, and prints its size.
 * settings.ts lists the environment variables.
 */
import { build } from "astro";
import { dirname, join, resolve } from "node:path";
import type { Language } from "../tools/openapi/language.ts";
import type { OpenApi } from "../tools/openapi/read_document.ts";
import { llmsText } from "../tools/reference/llms.ts";
import { operationPages } from "../tools/reference/markdown.ts";
import { sitePages } from "../tools/reference/site_pages.ts";
import { type Page, parsePage, plainPage, withPrograms } from "./markdown.ts";
import { withPolicy } from "./policy.ts";
import { readSettings, type Settings } from "./settings.ts";
import { SLUGS } from "./sidebar.ts";
import { filesOf, measure } from "./sizes.ts";

const SOURCE = import.meta.dirname!;
const ROOT = join(SOURCE, "..");
const CLIENTS = join(ROOT, "clients");
const CONTENT = join(SOURCE, "src", "content", "docs");
const LANGUAGES = [["pt", ""], ["en", "en/"]] as const;
type Documents = Record<Language, OpenApi>;
/** Limit for the home page with its styles and scripts, gzipped: what a first visitor loads before reading. */
const MAX_HOME_BYTES = 60 * 1024;
/** The limit for every page, measured in the same way, for readers with a slow phone. */
const MAX_PAGE_BYTES = 150 * 1024;

const [folder = join(SOURCE, "dist")] = Deno.args.filter((arg) => arg !== "--");
const out = resolve(folder);
// Built in another folder and then moved, so that a server never sends half a build.
const fresh = join(dirname(out), `.${out.split("/").at(-1)}-${Deno.pid}`);
try {
  const startedAt = performance.now();
  const settings = readSettings(Deno.env.get.bind(Deno.env));
  const documents = await readDocuments();
  await writeReference(documents, settings);
  await buildPages(fresh);
  await addPolicies(fresh);
  await addDownloads(fresh);
  await writeMarkdown(fresh, documents, settings);
  const { files, bytes, pages } = await measure(fresh, settings.base);
  const seconds = (performance.now() - startedAt) / 1000;
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  console.log(`${files} files, ${(bytes / 1024 ** 2).toFixed(1)} MB, in ${seconds.toFixed(1)} s`);
  const home = pages.find(({ path }) => path === "index.html")!;
  for (const [{ path, page, all }, limit] of [[home, MAX_HOME_BYTES], [pages[0]!, MAX_PAGE_BYTES]] as const) {
    console.log(`${path}: ${kilobytes(page)}, with styles and scripts ${kilobytes(all)} (gzipped)`);
    if (all > limit) throw new Error(`${path} loads more than ${kilobytes(limit)}`);
  }
  await Deno.remove(out, { recursive: true }).catch(ignoreMissing);
  await Deno.rename(fresh, out);
} finally {
  await Deno.remove(fresh, { recursive: true }).catch(ignoreMissing);
  for (const [, prefix] of LANGUAGES) {
    await Deno.remove(join(CONTENT, prefix, "reference"), { recursive: true }).catch(ignoreMissing);
  }
}

/** Writes the OpenAPI documents and the collections, and reads the API's document in each language. */
async function readDocuments(): Promise<Documents> {
  await runTask("openapi");
  await runTask("collection");
  const read = async (file: string) => JSON.parse(await Deno.readTextFile(join(CLIENTS, file))) as OpenApi;
  return { pt: await read("openapi.json"), en: await read("written/openapi.en.json") };
}

/** Writes the pages of the reference among the guides, where Starlight finds them. */
async function writeReference(documents: Documents, { base }: Settings): Promise<void> {
  for (const [language] of LANGUAGES) {
    for (const [path, text] of Object.entries(sitePages(documents[language], language, base))) {
      await write(join(CONTENT, path), text);
    }
  }
}

/** Builds the pages and the search index, without the cache of an earlier build. */
async function buildPages(folder: string): Promise<void> {
  Deno.env.set("ASTRO_TELEMETRY_DISABLED", "1");
  await build({ root: SOURCE, outDir: folder, logLevel: "error", force: true });
}

/** Adds the Content-Security-Policy to every page. */
async function addPolicies(folder: string): Promise<void> {
  for await (const file of filesOf(folder)) {
    if (!file.endsWith(".html")) continue;
    const path = join(folder, file);
    await Deno.writeTextFile(path, withPolicy(await Deno.readTextFile(path)));
  }
}

/** Writes each page and operation as Markdown, and for each language an llms.txt that lists them. */
async function writeMarkdown(
  folder: string,
  documents: Documents,
  { base, origin }: Settings,
): Promise<void> {
  const baseUrl = `${origin ?? ""}${base}`;
  for (const [language, prefix] of LANGUAGES) {
    const document = documents[language];
    const pages = await Promise.all(SLUGS.map((slug) => readPage(`${prefix}${slug}`)));
    for (const page of pages) await write(join(folder, `${page.path}.md`), plainPage(page));
    for (const [path, text] of Object.entries(operationPages(document, language, baseUrl))) {
      await write(join(folder, path), text);
    }
    const guides = pages.map(({ path, title, description }) => ({ path: `${path}.md`, title, description }));
    await write(join(folder, prefix, "llms.txt"), llmsText(document, language, baseUrl, guides));
  }
}

/** Adds the files for download: the OpenAPI documents of the API and the application, and the collections. */
async function addDownloads(folder: string): Promise<void> {
  const places = {
    "openapi.json": "reference/openapi.json",
    "written/openapi.en.json": "en/reference/openapi.json",
    "written/openapi.app.json": "reference/openapi.app.json",
    "written/openapi.app.en.json": "en/reference/openapi.app.json",
    "written/crm.http": "reference/crm.http",
    "written/crm.postman_collection.json": "reference/crm.postman_collection.json",
  };
  for (const [name, place] of Object.entries(places)) {
    await Deno.copyFile(join(CLIENTS, name), join(folder, place));
  }
}

async function runTask(name: string): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["task", name],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
  }).output();
  if (!success) throw new Error(`deno task ${name} failed`);
}

async function readPage(path: string): Promise<Page> {
  return parsePage(path, withPrograms(await Deno.readTextFile(join(CONTENT, `${path}.md`))));
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
