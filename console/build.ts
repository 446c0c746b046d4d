/**
 * `deno task console`: builds the console into console/dist or the given folder and prints the gzipped size of each
 * page. It fails if a page is larger than MAX_PAGE_BYTES, or all pages together than MAX_BYTES. build/settings.ts lists
 * the environment variables.
 */
import { stop } from "esbuild";
import { basename, dirname, join, resolve } from "node:path";
import { bundle } from "./build/bundle.ts";
import { readSettings } from "./build/settings.ts";
import { measure } from "./build/sizes.ts";

/** Maximum gzipped size of all pages together. */
const MAX_BYTES = 125 * 1024;
/** Maximum gzipped size of everything that loads when a page is opened for the first time. */
const MAX_PAGE_BYTES = 76 * 1024;

const source = import.meta.dirname!;
const out = resolve(Deno.args[0] ?? join(source, "dist"));
// Built in another folder and then moved, so that a server never sends half a build.
const fresh = join(dirname(out), `.${basename(out)}-${Deno.pid}`);
const old = `${fresh}-old`;
try {
  const pages = await bundle(source, fresh, readSettings(Deno.env.get.bind(Deno.env)));
  const sizes = await measure(fresh, pages);
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1).padStart(6)} KB`;
  for (const { path, bytes } of sizes.pages) console.log(`${path.padEnd(14)}${kilobytes(bytes)}`);
  console.log(`${"all, once".padEnd(14)}${kilobytes(sizes.all)} of ${MAX_BYTES / 1024} KB`);
  if (sizes.all > MAX_BYTES) throw new Error("The console is larger than its limit");
  const large = sizes.pages.find(({ bytes }) => bytes > MAX_PAGE_BYTES);
  if (large) throw new Error(`${large.path} loads more than ${MAX_PAGE_BYTES / 1024} KB at first`);
  await Deno.rename(out, old).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.rename(fresh, out);
} finally {
  await stop();
  for (const folder of [fresh, old]) await Deno.remove(folder, { recursive: true }).catch(() => {});
}
