// The files with which the functions are deployed: the import map, the lock, and .env.example.
import assert from "node:assert/strict";
import { join } from "node:path";
import { functionNames } from "../../run/local/function_names.ts";
import { filesOf } from "../../site/sizes.ts";
import { deno } from "../support/run.ts";

const ROOT = join(import.meta.dirname!, "../..");
const FUNCTIONS = join(ROOT, "supabase/functions");

interface Lock {
  version: string;
  npm: Record<string, { integrity: string }>;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(path));
}

/** The paths and texts of all sources of the functions. */
const paths = (await Array.fromAsync(filesOf(FUNCTIONS))).filter((path) => path.endsWith(".ts"));
const sources = await Promise.all(
  paths.map(async (path) => [path, await Deno.readTextFile(join(FUNCTIONS, path))] as const),
);

/** Imports of packages, without `@ts-types`, which a deployed function does not load. */
const IMPORT = /^(?:import|export) (?:[^;()=]* from )?"([^".][^"]*)";$/gm;

Deno.test("The functions' import map lists exactly the packages they import, at the versions of the root import map", async () => {
  const { imports } = await readJson<{ imports: Record<string, string> }>(join(FUNCTIONS, "deno.json"));
  const root = await readJson<{ imports: Record<string, string> }>(join(ROOT, "import_map.json"));
  const imported = sources.flatMap(([, text]) =>
    [...text.matchAll(IMPORT)].map(([, specifier]) => specifier!)
  );
  const packages = new Set(imported.filter((specifier) => !specifier.startsWith("node:")));
  assert.deepEqual(Object.keys(imports).sort(), [...packages].sort());
  for (const [specifier, target] of Object.entries(imports)) assert.equal(target, root.imports[specifier]);
});

Deno.test("The functions' lock file is readable by the edge runtime and contains every package that they load", async () => {
  // Newer Deno versions write version 5, with which older edge runtimes do not start.
  assert.equal((await readJson<Lock>(join(FUNCTIONS, "deno.lock"))).version, "4");
  const entries = (await functionNames()).map((name) => `${name}/index.ts`);
  await deno(["cache", "--frozen", ...entries], { cwd: FUNCTIONS });
});

Deno.test({
  name: "The functions are deployed with the package versions that they are tested with",
  // CI removes the root's lock for the oldest runtime, because that runtime cannot read it.
  ignore: !await Deno.stat(join(ROOT, "deno.lock")).then(() => true, () => false),
  async fn() {
    const deployed = await readJson<Lock>(join(FUNCTIONS, "deno.lock"));
    const tested = await readJson<Lock>(join(ROOT, "deno.lock"));
    assert.ok(Object.keys(deployed.npm).length > 0);
    for (const [name, { integrity }] of Object.entries(deployed.npm)) {
      assert.equal(tested.npm[name]?.integrity, integrity, name);
    }
  },
});

Deno.test("supabase/functions/.env.example has each variable that the functions read, with a comment, and no other", async () => {
  const text = await Deno.readTextFile(join(FUNCTIONS, ".env.example"));
  const named = [...text.matchAll(/^(?:# )?([A-Z][A-Z_]+)='.*'$/gm)].map(([, name]) => name!);
  const read = new Set<string>();
  for (const [path, source] of sources) {
    for (const [use, variable] of source.matchAll(/Deno\.env\.\w+\((?:"(\w+)")?/g)) {
      assert.ok(variable, `${path}: name the variable in the call, so that this test finds it: ${use}`);
      // The platform itself sets the variables SUPABASE_…; the CLI refuses to set them.
      if (!variable.startsWith("SUPABASE_")) read.add(variable);
    }
  }
  assert.deepEqual(named.toSorted(), [...read].sort());
  for (const name of named) assert.match(text, new RegExp(`^# .+\\n(# )?${name}=`, "m"), name);
});
