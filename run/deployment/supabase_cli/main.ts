/**
 * Runs the Supabase CLI with the arguments of this process. It is a package of its own, because `deno task start` does not
 * need its 250 MB: Deno installs them the first time that this runs.
 */
import "supabase/dist/supabase.js";
