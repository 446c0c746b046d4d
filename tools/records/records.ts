import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CrmRecord } from "../../supabase/functions/_shared/contract/record.ts";
import { FUNCTIONS } from "../resources.ts";

/** Every declared record, found in the `record.ts` of the functions. */
export const records: CrmRecord[] = await loadRecords();

async function loadRecords(): Promise<CrmRecord[]> {
  const found: CrmRecord[] = [];
  for await (const { name } of Deno.readDir(FUNCTIONS)) {
    const file = join(FUNCTIONS, name, "record.ts");
    if (await Deno.stat(file).then(() => false, () => true)) continue;
    const module = await import(pathToFileURL(file).href);
    found.push(...Object.values(module).filter((value) => value instanceof CrmRecord));
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}
