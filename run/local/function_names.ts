import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const FUNCTIONS_FOLDER = fileURLToPath(new URL("../../supabase/functions", import.meta.url));

/** The functions' names: the folders with an index.ts. The stack serves them, and the Supabase CLI deploys them. */
export async function functionNames(folder = FUNCTIONS_FOLDER): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory || name.startsWith("_")) continue;
    if (await Deno.stat(join(folder, name, "index.ts")).then(() => true, () => false)) names.push(name);
  }
  return names.sort();
}
