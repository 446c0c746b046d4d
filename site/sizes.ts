import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

/** Sizes of a page in gzipped bytes. */
interface PageSize {
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
  const linkToAsset = new RegExp(`(?:src|href)="${base}_astro/([^"]+\\.(?:css|js))"`, "g");
  const assets = new Map<string, { size: number; imports: string[] }>();
  const pages: { path: string; page: number; linked: string[] }[] = [];
  let bytes = 0;
  for (const path of files) {
    const content = await Deno.readFile(join(folder, path));
    bytes += content.length;
    const read = (pattern: RegExp) =>
      [...new TextDecoder().decode(content).matchAll(pattern)].map(([, name]) => name!);
    if (path.startsWith("_astro/")) {
      const imports = read(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g);
      assets.set(basename(path), { size: gzipSync(content).length, imports });
    } else if (path.endsWith(".html")) {
      pages.push({ path, page: gzipSync(content).length, linked: read(linkToAsset) });
    }
  }
  const sizes = pages.map(({ path, page, linked }) => {
    const loaded = new Set(linked);
    // Iterating a Set also visits items that the loop adds.
    for (const name of loaded) for (const imported of assets.get(name)!.imports) loaded.add(imported);
    const all = [...loaded].reduce((total, name) => total + assets.get(name)!.size, page);
    return { path, page, all };
  });
  return { files: files.length, bytes, pages: sizes.sort((a, b) => b.all - a.all) };
}

/** The files in a folder and its subfolders, as paths below the folder. */
export async function* filesOf(folder: string, below = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(folder, below))) {
    if (isDirectory) yield* filesOf(folder, join(below, name));
    else yield join(below, name);
  }
}
