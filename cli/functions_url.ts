import { readSettings } from "../local/settings.ts";
import { readStackFile } from "../local/stack_file.ts";
import { functionsUrl } from "../supabase/functions/_shared/runtime/service.ts";

/**
 * The URL of the functions, for links that customers receive: under PUBLIC_URL, else SUPABASE_URL, else that of the
 * stack that runs on DATA_DIR.
 * @throws StackError if there is neither.
 */
export async function readFunctionsUrl(): Promise<string> {
  return Deno.env.get("PUBLIC_URL") || Deno.env.get("SUPABASE_URL")
    ? functionsUrl()
    : (await readStackFile(readSettings().dataDir)).base_url;
}
