import assert from "node:assert/strict";
import { join } from "node:path";

const FUNCTIONS = join(import.meta.dirname!, "../../supabase/functions");

/** The variables that the sources under a folder read. */
async function variablesRead(folder: string): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) (await variablesRead(path)).forEach((variable) => found.add(variable));
    if (!name.endsWith(".ts")) continue;
    const source = await Deno.readTextFile(path);
    for (const [use, variable] of source.matchAll(/Deno\.env\.\w+\((?:"(\w+)")?/g)) {
      assert.ok(variable, `${path}: a variable that is not named in its call cannot be found: ${use}`);
      found.add(variable);
    }
  }
  return found;
}

Deno.test("supabase/functions/.env.example has each variable that the functions read, with a comment, and no other", async () => {
  const text = await Deno.readTextFile(join(FUNCTIONS, ".env.example"));
  const named = [...text.matchAll(/^(?:# )?([A-Z][A-Z_]+)='.*'$/gm)].map(([, name]) => name!);
  // The Supabase CLI refuses to set names that begin like this: the platform sets them.
  const read = [...await variablesRead(FUNCTIONS)].filter((name) => !name.startsWith("SUPABASE_"));
  assert.deepEqual(named.toSorted(), read.sort());
  for (const name of named) assert.match(text, new RegExp(`^# .+\\n(# )?${name}=`, "m"), name);
});
