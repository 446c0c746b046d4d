/**
 * `deno task site`: builds the site with the reference into site/dist or the given folder, and prints its size. Variables:
 * see settings.ts.
 */
import { build } from "astro";
import { dirname, join, relative, resolve } from "node:path";
import { llmsText } from "../tools/reference/llms.ts";
import { operationPages } from "../tools/reference/markdown.ts";
import { type Page, parsePage, plainPage } from "./markdown.ts";
import { withPolicy } from "./policy.ts";
import { readSettings, type Settings } from "./settings.ts";
import { SLUGS } from "./sidebar.ts";
import { measure } from "./sizes.ts";

const SOURCE = import.meta.dirname!;
const ROOT = join(SOURCE, "..");
/** Limit for the home page with its styles and scripts, gzipped: what a first visitor loads before reading. */
const MAX_HOME_BYTES = 60 * 1024;

const out = resolve(Deno.args[0] ?? join(SOURCE, "dist"));
// Built in another folder and then moved, so that a server never sends half a build.
const fresh = join(dirname(out), `.${out.split("/").at(-1)}-${Deno.pid}`);
try {
  const startedAt = performance.now();
  const settings = readSettings(Deno.env.get.bind(Deno.env));
  await buildPages(fresh);
  await addPolicies(fresh);
  await addReference(fresh);
  await addDownloads(fresh);
  await writeMarkdown(fresh, settings);
  const { files, bytes, home } = await measure(fresh, settings.base);
  const seconds = (performance.now() - startedAt) / 1000;
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  console.log(`${files} files, ${(bytes / 1024 ** 2).toFixed(1)} MB, in ${seconds.toFixed(1)} s`);
  console.log(
    `The home page: ${kilobytes(home.page)}, with styles and scripts ${kilobytes(home.all)} (gzipped)`,
  );
  if (home.all > MAX_HOME_BYTES) {
    throw new Error(`The home page loads more than ${kilobytes(MAX_HOME_BYTES)}`);
  }
  await Deno.remove(out, { recursive: true }).catch(ignoreMissing);
  await Deno.rename(fresh, out);
} finally {
  await Deno.remove(fresh, { recursive: true }).catch(ignoreMissing);
}

/** Builds the pages and the search index, without the cache of an earlier build. */
async function buildPages(folder: string): Promise<void> {
  Deno.env.set("ASTRO_TELEMETRY_DISABLED", "1");
  await build({ root: SOURCE, outDir: folder, logLevel: "error", force: true });
}

/** Adds the policy to every page. The reference, which is added later, has its own. */
async function addPolicies(folder: string): Promise<void> {
  for await (const file of filesOf(folder)) {
    if (file.endsWith(".html")) await Deno.writeTextFile(file, withPolicy(await Deno.readTextFile(file)));
  }
}

/** Writes each page and operation as Markdown, and the llms.txt that list them. */
async function writeMarkdown(folder: string, { base, origin }: Settings): Promise<void> {
  const baseUrl = `${origin ?? ""}${base}`;
  for (const [language, prefix] of [["pt", ""], ["en", "en/"]] as const) {
    const pages = await Promise.all(SLUGS.map((slug) => readPage(`${prefix}${slug}`)));
    for (const page of pages) await write(join(folder, `${page.path}.md`), plainPage(page));
    const document = JSON.parse(await Deno.readTextFile(join(folder, prefix, "reference", "openapi.json")));
    for (const [path, text] of Object.entries(operationPages(document, language, baseUrl))) {
      await write(join(folder, path), text);
    }
    const guides = pages.map(({ path, title, description }) => ({ path: `${path}.md`, title, description }));
    await write(join(folder, prefix, "llms.txt"), llmsText(document, language, baseUrl, guides));
  }
}

/** Builds the reference; its output has the layout of the site.*/
async function addReference(folder: string): Promise<void> {
  const built = join(ROOT, "tools", "reference", "dist");
  await runTask("reference");
  for await (const file of filesOf(built)) {
    const target = join(folder, relative(built, file));
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.copyFile(file, target);
  }
}

/** Adds the files for download: the collections and the documents of the application. */
async function addDownloads(folder: string): Promise<void> {
  await runTask("openapi");
  await runTask("collection");
  const places = {
    "crm.http": "reference/crm.http",
    "crm.postman_collection.json": "reference/crm.postman_collection.json",
    "openapi.app.json": "reference/openapi.app.json",
    "openapi.app.en.json": "en/reference/openapi.app.json",
  };
  for (const [name, place] of Object.entries(places)) {
    await Deno.copyFile(join(ROOT, "clients", "written", name), join(folder, place));
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
  return parsePage(path, await Deno.readTextFile(join(SOURCE, "src", "content", "docs", `${path}.md`)));
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function* filesOf(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesOf(join(folder, name));
    else yield join(folder, name);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
