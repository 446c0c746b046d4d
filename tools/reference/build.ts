/**
 * `deno task reference`: writes the reference on which people try calls into tools/reference/local. `deno task start`
 * serves it at `/docs/` and `/docs/en/`. Installs Scalar first if it is missing. The site's reference needs no Scalar
 * (site_pages.ts).
 */
import { createHash } from "node:crypto";
import { join, posix, relative } from "node:path";
import { documentText, replaceFile } from "../openapi/files.ts";
import { referencePage } from "./page.ts";

const HERE = import.meta.dirname!;
const SCALAR = join(HERE, "scalar");
const BUNDLE = join(SCALAR, "node_modules/@scalar/api-reference/dist/browser/standalone.js");
const COLOURS = join(HERE, "../../console/styles/tokens.css");
/** The folder of the page in each language, below the folder that is written. */
const PAGES = { pt: "", en: "en" } as const;

await installScalar();
// Builds in a new folder, which then replaces `local`: a page that a browser is loading must not lose its files.
const folder = await Deno.makeTempDir({ dir: HERE, prefix: ".build-" });
await Deno.chmod(folder, 0o755);
const [scalar, start, style] = [
  await writeHashed(folder, "assets/scalar.js", await Deno.readTextFile(BUNDLE)),
  await writeHashed(folder, "assets/start.js", await readOwn("start.js")),
  await writeHashed(
    folder,
    "assets/page.css",
    `${await Deno.readTextFile(COLOURS)}\n${await readOwn("page.css")}`,
  ),
];
const theme = await readOwn("theme.css");
for (const language of ["pt", "en"] as const) {
  const page = PAGES[language];
  const from = (path: string) => posix.relative(page, path);
  const links = {
    scalar: from(scalar),
    start: from(start),
    style: from(style),
    document: "openapi.json",
    otherLanguage: `${from(PAGES[language === "en" ? "pt" : "en"]) || "."}/`,
  };
  await replaceFile(join(folder, page, "index.html"), referencePage(language, links, theme));
  await replaceFile(join(folder, page, "openapi.json"), documentText("api", language));
}
const finished = join(HERE, "local");
await Deno.remove(finished, { recursive: true }).catch(() => {});
await Deno.rename(folder, finished);
console.log(`The reference is in ${relative(Deno.cwd(), finished)}`);

/** Installs the packages of the lock; quick if they are installed already. */
async function installScalar(): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--frozen"],
    cwd: SCALAR,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Scalar could not be installed: ${new TextDecoder().decode(stderr)}`);
}

function readOwn(name: string): Promise<string> {
  return Deno.readTextFile(join(HERE, "browser", name));
}

/** Writes a file with the hash of its content in its name, and returns its path in the folder. */
async function writeHashed(folder: string, path: string, text: string): Promise<string> {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
  const { dir, name, ext } = posix.parse(path);
  const named = posix.join(dir, `${name}-${hash}${ext}`);
  await replaceFile(join(folder, named), text);
  return named;
}
