import { join } from "node:path";
import ts from "typescript";
import { filesOf } from "../../../site/sizes.ts";

/** Type-checks every file of a folder as `tsc --strict` does; returns the errors. */
export async function typeErrors(folder: string): Promise<string[]> {
  const sources = (await Array.fromAsync(filesOf(folder))).filter((path) => path.endsWith(".ts"));
  const program = ts.createProgram(sources.map((path) => join(folder, path)), {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    // No types from this repository's own packages.
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
