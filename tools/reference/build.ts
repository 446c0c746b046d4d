/**
 * `deno task reference`: writes the reference into tools/reference/dist, laid out from the root of the site: `reference/` in
 * Portuguese and `en/reference/` in English. With `--local` it writes the one that `deno task start` serves at `/docs/` and
 * `/docs/en/`, from which calls can be tried. Scalar is installed first where it is missing.
 */
import { createHash } from "node:crypto";
import { dirname, join, posix, relative } from "node:path";
import { documentText } from "../openapi/files.ts";
import { referencePage } from "./page.ts";

const HERE = import.meta.dirname!;
const SCALAR = join(HERE, "scalar");
const BUNDLE = join(SCALAR, "node_modules/@scalar/api-reference/dist/browser/standalone.js");

/** Where the pages are, in the folder that is written. */
interface Layout {
  /** The folder, in reference/. */
  out: string;
  pages: Record<"pt" | "en", string>;
  tryIt: boolean;
  /** Where the guides are, from a page's folder; null for a reference without them. */
  guides: string | null;
}

const SITE: Layout = {
  out: "dist",
  pages: { pt: "reference", en: "en/reference" },
  tryIt: false,
  guides: "../",
};
const LOCAL: Layout = { out: "local", pages: { pt: "", en: "en" }, tryIt: true, guides: null };

await build(Deno.args.includes("--local") ? LOCAL : SITE);

async function build({ out, pages, tryIt, guides }: Layout): Promise<void> {
  await installScalar();
  // Built in another folder and then moved, so that a page that is being read does not lose its files halfway.
  const folder = await Deno.makeTempDir({ dir: HERE, prefix: ".build-" });
  await Deno.chmod(folder, 0o755);
  const assets = join(pages.pt, "assets");
  const [scalar, start, style] = [
    await writeHashed(folder, join(assets, "scalar.js"), await Deno.readTextFile(BUNDLE)),
    await writeHashed(folder, join(assets, "start.js"), await readOwn("start.js")),
    await writeHashed(folder, join(assets, "page.css"), await readOwn("page.css")),
  ];
  const theme = await readOwn("theme.css");
  for (const language of ["pt", "en"] as const) {
    const page = pages[language];
    const from = (path: string) => relative(page, path).replaceAll("\\", "/");
    const links = {
      scalar: from(scalar),
      start: from(start),
      style: from(style),
      document: "openapi.json",
      otherLanguage: `${from(pages[language === "en" ? "pt" : "en"]) || "."}/`,
      guides,
    };
    await write(join(folder, page, "index.html"), referencePage(language, links, { tryIt, theme }));
    await write(join(folder, page, "openapi.json"), documentText("api", language));
  }
  const finished = join(HERE, out);
  await Deno.remove(finished, { recursive: true }).catch(() => {});
  await Deno.rename(folder, finished);
  console.log(`The reference is in ${relative(Deno.cwd(), finished)}`);
}

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
  const { dir, name, ext } = posix.parse(path.replaceAll("\\", "/"));
  const named = posix.join(dir, `${name}-${hash}${ext}`);
  await write(join(folder, named), text);
  return named;
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}
