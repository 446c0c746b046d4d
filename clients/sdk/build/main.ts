/**
 * `deno task sdk:build`: builds the npm package of the SDK into clients/sdk/dist, prints its gzipped size, and fails if
 * the size is over MAX_BYTES.
 */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import ts from "typescript";

/** Maximum gzipped size. The published code is not minified, so that integrators can read it in a debugger. */
const MAX_BYTES = 12 * 1024;

const sdk = join(import.meta.dirname!, "..");
const out = join(sdk, "dist");
/** Matches an import of a `.ts` file in a declaration file. The package has no such file, so `.js` replaces `.ts`. */
const TS_IMPORT = /(from|import\() ?"(\.\/[\w/]+)\.ts"/g;

const program = ts.createProgram([join(sdk, "src/index.ts")], {
  strict: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  outDir: out,
  declarationDir: join(out, "types"),
  // Node 20 and browsers of the same age understand ES2022.
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  rewriteRelativeImportExtensions: true,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  // The SDK must type-check without the types of Deno and Node.
  types: [],
});
const files = new Map<string, string>();
const { diagnostics } = program.emit(undefined, (path, text) => {
  files.set(path, text.replace(TS_IMPORT, '$1 "$2.js"'));
});
const errors = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
if (errors.length > 0) {
  throw new Error(ts.formatDiagnostics(errors, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: Deno.cwd,
    getNewLine: () => "\n",
  }));
}

await Deno.remove(out, { recursive: true }).catch((error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
await Deno.mkdir(join(out, "types"), { recursive: true });
for (const [path, text] of files) await Deno.writeTextFile(path, text);

const code = [...files].flatMap(([path, text]) => path.endsWith(".js") ? text : []).join("");
const bytes = gzipSync(code, { level: 9 }).length;
console.log(`${(bytes / 1024).toFixed(1)} KB of ${MAX_BYTES / 1024} KB, gzipped`);
if (bytes > MAX_BYTES) throw new Error("The SDK is larger than its limit");
