import ts from "typescript";

/**
 * Writes into a folder the type declarations of a module and of the modules that it imports. Imports in them end in
 * `.js`: a compiler that finds a `.ts` import in a package would try to compile that file.
 *
 * @throws Error if the module does not type-check without the types of Deno and Node
 */
export async function writeDeclarations(
  entry: string,
  folder: string,
): Promise<void> {
  const program = ts.createProgram([entry], {
    strict: true,
    exactOptionalPropertyTypes: true,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: folder,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: [
      "lib.es2022.d.ts",
      "lib.dom.d.ts",
      "lib.dom.iterable.d.ts",
      "lib.dom.asynciterable.d.ts",
    ],
    types: [],
  });
  const files = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => {
    files.set(
      path,
      text.replace(/(from|import\() ?"(\.\/[\w/]+)\.ts"/g, '$1 "$2.js"'),
    );
  });
  const errors = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (errors.length > 0) {
    throw new Error(ts.formatDiagnostics(errors, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: Deno.cwd,
      getNewLine: () => "\n",
    }));
  }
  await Deno.mkdir(folder, { recursive: true });
  for (const [path, text] of files) await Deno.writeTextFile(path, text);
}
