/**
 * Runs the Supabase CLI with the arguments of this process. It is a package of its own, because `deno task start` does
 * not need its 250 MB, which Deno installs on the first run.
 */
import "supabase/dist/supabase.js";
