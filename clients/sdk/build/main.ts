/**
 * `deno task sdk:build`: builds the npm package of the SDK into clients/sdk/dist, prints its gzipped size, and fails if
 * the size is over MAX_BYTES.
 */
import { build, stop } from "esbuild";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { writeDeclarations } from "./declarations.ts";

/** Maximum gzipped size. The published code is not minified, so that integrators can read it in a debugger. */
const MAX_BYTES = 12 * 1024;

const sdk = join(import.meta.dirname!, "..");
const out = join(sdk, "dist");
const entry = join(sdk, "src/index.ts");

await Deno.remove(out, { recursive: true }).catch((error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
try {
  // Node 20 and browsers of the same age understand ES2022.
  await build({
    entryPoints: [entry],
    outfile: join(out, "index.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    logLevel: "warning",
  });
} finally {
  await stop();
}
await writeDeclarations(entry, join(out, "types"));

const code = await Deno.readFile(join(out, "index.js"));
const bytes = gzipSync(code, { level: 9 }).length;
console.log(
  `${(bytes / 1024).toFixed(1)} KB of ${MAX_BYTES / 1024} KB, gzipped`,
);
if (bytes > MAX_BYTES) throw new Error("The SDK is larger than its limit");
