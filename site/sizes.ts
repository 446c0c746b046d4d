import { dirname, join } from "node:path";

/** Sizes of a page in gzipped bytes. */
export interface PageSize {
  /** The page's path in the folder. */
  path: string;
  page: number;
  /** Includes the page's styles and scripts, and what they import. */
  all: number;
}

/**
 * Measures a build.
 * @param base the path at which the site is served, with a slash at its end
 * @returns the sizes of all pages, the largest first
 */
export async function measure(
  folder: string,
  base: string,
): Promise<{ files: number; bytes: number; pages: PageSize[] }> {
  const files = await Array.fromAsync(filesOf(folder));
  const sizes = await Promise.all(files.map(async (file) => (await Deno.stat(join(folder, file))).size));
  const assets = new Assets(join(folder, "_astro"));
  const pages: PageSize[] = [];
  for (const path of files.filter((file) => file.endsWith(".html"))) {
    const text = await Deno.readTextFile(join(folder, path));
    const linked = text.matchAll(new RegExp(`(?:src|href)="${base}_astro/([^"]+\\.(?:css|js))"`, "g"));
    const page = await gzippedSize(join(folder, path));
    pages.push({ path, page, all: page + await assets.sizeOf([...linked].map(([, name]) => name!)) });
  }
  return {
    files: files.length,
    bytes: sizes.reduce((total, size) => total + size, 0),
    pages: pages.sort((a, b) => b.all - a.all),
  };
}

/** The styles and scripts of the build. */
class Assets {
  readonly #read = new Map<string, { size: number; imports: string[] }>();

  constructor(readonly folder: string) {}

  /** The gzipped size of files and of what they import. */
  async sizeOf(names: string[]): Promise<number> {
    const all = new Set<string>();
    for (const next = [...names]; next.length > 0;) {
      const name = next.pop()!;
      if (all.has(name)) continue;
      all.add(name);
      next.push(...(await this.#readOne(name)).imports);
    }
    return [...all].reduce((total, name) => total + this.#read.get(name)!.size, 0);
  }

  async #readOne(name: string) {
    const known = this.#read.get(name);
    if (known) return known;
    const text = await Deno.readTextFile(join(this.folder, name));
    const imports = [...text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g)].map(([, imported]) =>
      join(dirname(name), imported!)
    );
    const read = { size: await gzippedSize(join(this.folder, name)), imports };
    this.#read.set(name, read);
    return read;
  }
}

/** The files in a folder and its folders, as paths in it. */
export async function* filesOf(folder: string, below = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(folder, below))) {
    if (isDirectory) yield* filesOf(folder, join(below, name));
    else yield join(below, name);
  }
}

async function gzippedSize(path: string): Promise<number> {
  const { body } = new Response(await Deno.readFile(path));
  const gzipped = body!.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(gzipped).bytes()).byteLength;
}
