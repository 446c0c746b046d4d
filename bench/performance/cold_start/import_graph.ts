import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sum } from "../../harness/figures.ts";

/** Everything that a function's index.ts imports, without types: the files and packages that are deployed. */
export interface ImportGraph {
  files: string[];
  packages: string[];
  /** Of the files, and of the whole packages with their dependencies. */
  bytes: number;
}

/** The parts of `deno info --json` that are read here. */
interface Info {
  roots: [string];
  redirects: Record<string, string>;
  modules: Module[];
  npmPackages: Record<string, { name: string; dependencies: string[]; localPath: string }>;
}

interface Module {
  specifier: string;
  size?: number;
  /** Key of `npmPackages`. */
  npmPackage?: string;
  /** `code` is absent if only types are imported. */
  dependencies?: { code?: { specifier?: string }; isDynamic?: true }[];
}

/**
 * @param file the function's index.ts
 * @param options atStart: without what is loaded by a call that needs it
 */
export async function readImportGraph(file: string, { atStart = false } = {}): Promise<ImportGraph> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", file],
    cwd: join(import.meta.dirname!, "..", "..", ".."),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { roots, redirects, modules, npmPackages }: Info = JSON.parse(new TextDecoder().decode(stdout));

  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const reached = reach(roots, (specifier) =>
    (bySpecifier.get(specifier)?.dependencies ?? [])
      .flatMap(({ code, isDynamic }) => atStart && isDynamic ? [] : code?.specifier ?? [])
      .map((next) => redirects[next] ?? next)).flatMap((specifier) => bySpecifier.get(specifier) ?? []);
  const files = reached.filter(({ specifier }) => specifier.startsWith("file:"));
  const imported = reached.flatMap(({ npmPackage }) => npmPackage ?? []);
  const needed = reach(imported, (key) => npmPackages[key]!.dependencies);
  const packageBytes = await Promise.all(needed.map((key) => bytesOf(npmPackages[key]!.localPath)));
  return {
    files: files.map(({ specifier }) => fileURLToPath(specifier)),
    // A package may be imported by more than one of its paths.
    packages: [...new Set(imported.map((key) => npmPackages[key]!.name))],
    bytes: sum(files.map(({ size = 0 }) => size)) + sum(packageBytes),
  };
}

/** Returns the first nodes and all that are reachable from them. */
function reach(first: string[], next: (node: string) => string[]): string[] {
  const reached = new Set<string>();
  const visit = (node: string) => {
    if (reached.has(node)) return;
    reached.add(node);
    next(node).forEach(visit);
  };
  first.forEach(visit);
  return [...reached];
}

/** The bytes of the files in a folder and its folders; links are not followed. */
async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) bytes += await bytesOf(path);
    else if (entry.isFile) bytes += (await Deno.stat(path)).size;
  }
  return bytes;
}
