// What the functions load when they start.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FUNCTIONS, resources } from "../../tools/resources.ts";
import { openFolder } from "../support/folder.ts";
import { deno } from "../support/run.ts";

/** The parts of `deno info --json` that are read here. */
interface Info {
  redirects: Record<string, string>;
  modules: {
    specifier: string;
    npmPackage?: string;
    /** `code` is absent if only types are imported. */
    dependencies?: { code?: { specifier?: string }; isDynamic?: true }[];
  }[];
}

const indexOf = (name: string) => pathToFileURL(join(FUNCTIONS, name, "index.ts")).href;

/** Reads the imports of all functions at once, because a process takes half a second of processor time. */
async function readInfo(): Promise<Info> {
  await using folder = await openFolder();
  const all = join(folder.path, "all.ts");
  const imports = resources.map(({ name }) => `import ${JSON.stringify(indexOf(name))};\n`);
  await Deno.writeTextFile(all, imports.join(""));
  return JSON.parse((await deno(["info", "--json", "--config", "deno.json", all])).stdout);
}

const { redirects, modules } = await readInfo();

/**
 * Everything that a function imports, without types.
 * @param atStart whether to leave out what is loaded only when a call needs it
 */
function importsOf(name: string, atStart: boolean): Info["modules"] {
  const reached = new Set([indexOf(name)]);
  // Iterating a Set also visits items that the loop adds.
  for (const specifier of reached) {
    const dependencies = modules.find((module) => module.specifier === specifier)?.dependencies ?? [];
    for (const { code, isDynamic } of dependencies) {
      if (code?.specifier === undefined || (atStart && isDynamic)) continue;
      reached.add(redirects[code.specifier] ?? code.specifier);
    }
  }
  return modules.filter(({ specifier }) => reached.has(specifier));
}

for (const { name, gate } of resources) {
  Deno.test(`${name} starts without schemas and driver`, () => {
    const packages = importsOf(name, true).map(({ npmPackage = "" }) => npmPackage);
    for (const later of ["zod", "pg", "jsonc-parser"]) {
      assert.ok(!packages.some((found) => found.startsWith(`${later}@`)), later);
    }
  });

  // The functions for members use the schemas of the functions for keys.
  if (gate === "session") continue;
  Deno.test(`${name} imports from other functions only the schemas of their records`, () => {
    const files = importsOf(name, false).flatMap(({ specifier }) =>
      specifier.split("/supabase/functions/")[1] ?? []
    );
    assert.ok(files.length > 0);
    for (const file of files) {
      assert.match(file, new RegExp(`^(${name}|_shared)/|/(record|schema|docs)\\.ts$`));
    }
  });
}
