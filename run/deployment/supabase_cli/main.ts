/**
 * Runs the Supabase CLI with the arguments of this process. This folder is a package of its own, so that `deno task
 * start` does not install the 250 MB of the CLI. Deno installs them when this program first runs.
 */
import "supabase/dist/supabase.js";
