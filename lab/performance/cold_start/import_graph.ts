import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What is deployed with a function: everything that its index.ts leads to, types apart. */
export interface ImportGraph {
  /** Files of this repository that are loaded before the first request. */
  files: string[];
  /** Names of the packages that these import. */
  packages: string[];
  /** Names of those that are imported when a request needs them. */
  laterPackages: string[];
  /** Of all files, and of all that is in the packages and in those that they need in turn. */
  bytes: number;
}

/** As `deno info --json` tells it, as far as it is read here. */
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
  /** `code` is absent where only types are imported. */
  dependencies?: { code?: { specifier?: string }; isDynamic?: boolean }[];
}

/** @param file the function's index.ts */
export async function readImportGraph(file: string): Promise<ImportGraph> {
  const info = await readInfo(file);
  const all = reachable(info, true);
  const atStart = reachable(info, false);
  const packages = packagesOf(atStart, info);
  const folders = withNeeded(all, info).map((key) => info.npmPackages[key]!.localPath);
  const packageBytes = await Promise.all(folders.map(bytesOf));
  return {
    files: filesOf(atStart).map(({ specifier }) => fileURLToPath(specifier)),
    packages,
    laterPackages: packagesOf(all, info).filter((name) => !packages.includes(name)),
    bytes: sum(filesOf(all).map(({ size = 0 }) => size)) + sum(packageBytes),
  };
}

function filesOf(modules: Module[]): Module[] {
  return modules.filter(({ specifier }) => specifier.startsWith("file:"));
}

/** A package may be imported by more than one of its paths. */
function packagesOf(modules: Module[], { npmPackages }: Info): string[] {
  return [...new Set(modules.flatMap(({ npmPackage }) => npmPackage ? npmPackages[npmPackage]!.name : []))];
}

async function readInfo(file: string): Promise<Info> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", file],
    cwd: join(import.meta.dirname!, "..", ".."),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** @param later whether to follow `import()` too */
function reachable({ roots, redirects, modules }: Info, later: boolean): Module[] {
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const found = new Set<Module>();
  const visit = (specifier: string) => {
    const module = bySpecifier.get(redirects[specifier] ?? specifier);
    if (!module || found.has(module)) return;
    found.add(module);
    for (const { code, isDynamic } of module.dependencies ?? []) {
      if (code?.specifier && (later || !isDynamic)) visit(code.specifier);
    }
  };
  visit(roots[0]);
  return [...found];
}

function withNeeded(modules: Module[], { npmPackages }: Info): string[] {
  const found = new Set<string>();
  const visit = (key: string) => {
    if (found.has(key)) return;
    found.add(key);
    npmPackages[key]!.dependencies.forEach(visit);
  };
  for (const { npmPackage } of modules) if (npmPackage) visit(npmPackage);
  return [...found];
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) bytes += await bytesOf(path);
    else if (entry.isFile) bytes += (await Deno.stat(path)).size;
  }
  return bytes;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
