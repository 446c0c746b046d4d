/**
 * Runs the Supabase CLI with the arguments of this process. It is a package of its own, so that `deno task start` does not
 * install its 250 MB.
 */
import "supabase/dist/supabase.js";
