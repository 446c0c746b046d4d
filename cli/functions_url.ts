import { readSettings } from "../local/settings.ts";
import { readStackFile } from "../local/stack_file.ts";
import { functionsUrl } from "../supabase/functions/_shared/runtime/service.ts";

/**
 * Where the functions are published, for links that leave the house: under SUPABASE_URL, else on the stack running on
 * DATA_DIR.
 * @throws StackError where there is neither.
 */
export async function readFunctionsUrl(): Promise<string> {
  return Deno.env.get("SUPABASE_URL")
    ? functionsUrl()
    : (await readStackFile(readSettings().dataDir)).base_url;
}
