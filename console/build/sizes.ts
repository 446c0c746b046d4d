import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** A page, and the files that it loads when first opened, as paths below the folder of the build. */
export interface Loaded {
  path: string;
  files: string[];
}

/** The gzipped bytes that each page loads, and those of the whole build, with each file counted once. */
export async function measure(
  out: string,
  pages: Loaded[],
): Promise<{ pages: { path: string; bytes: number }[]; all: number }> {
  const sizes = new Map<string, number>();
  for await (const file of filesBelow(out)) {
    sizes.set(file, gzipSync(await Deno.readFile(join(out, file)), { level: 9 }).length);
  }
  const sum = (files: Iterable<string>) =>
    [...files].reduce((total, file) => total + (sizes.get(file) ?? 0), 0);
  return {
    pages: pages.map(({ path, files }) => ({ path, bytes: sum(new Set(files)) })),
    all: sum(sizes.keys()),
  };
}

async function* filesBelow(folder: string, prefix = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(folder, prefix))) {
    const path = join(prefix, name);
    if (isDirectory) yield* filesBelow(folder, path);
    else yield path;
  }
}
