import { join } from "node:path";

/** Sizes of the home page in gzipped bytes. */
export interface HomeSize {
  page: number;
  /** Includes the page's styles and scripts, and what they import. */
  all: number;
}

/**
 * Measures a build.
 * @param base the path at which the site is served, with a slash at its end
 */
export async function measure(
  folder: string,
  base: string,
): Promise<{ files: number; bytes: number; home: HomeSize }> {
  const sizes = await Array.fromAsync(sizesOf(folder));
  const page = await Deno.readTextFile(join(folder, "index.html"));
  const assets = new Set<string>();
  const read = async (name: string): Promise<void> => {
    if (assets.has(name)) return;
    assets.add(name);
    const text = await Deno.readTextFile(join(folder, "_astro", name));
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g)) {
      await read(imported!);
    }
  };
  for (
    const [, name] of page.matchAll(new RegExp(`(?:src|href)="${base}_astro/([^"]+\\.(?:css|js))"`, "g"))
  ) {
    await read(name!);
  }
  const loaded = await Promise.all([...assets].map((name) => gzippedSize(join(folder, "_astro", name))));
  const ofPage = await gzippedSize(join(folder, "index.html"));
  return {
    files: sizes.length,
    bytes: sizes.reduce((total, size) => total + size, 0),
    home: { page: ofPage, all: loaded.reduce((total, size) => total + size, ofPage) },
  };
}

async function* sizesOf(folder: string): AsyncGenerator<number> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sizesOf(join(folder, name));
    else yield (await Deno.stat(join(folder, name))).size;
  }
}

async function gzippedSize(path: string): Promise<number> {
  const { body } = new Response(await Deno.readFile(path));
  const gzipped = body!.pipeThrough(new CompressionStream("gzip"));
  return (await new Response(gzipped).bytes()).byteLength;
}
