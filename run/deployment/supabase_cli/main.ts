/**
 * Runs the Supabase CLI with the arguments of this process. This folder is a package of its own, so that Deno installs
 * the 250 MB of the CLI when this program first runs, and not for `deno task start`.
 */
import "supabase/dist/supabase.js";
