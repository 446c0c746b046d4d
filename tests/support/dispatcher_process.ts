// Runs a dispatcher until no delivery is due. Argument: SQL to run first.
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { dispatch } from "../../supabase/functions/webhook-dispatcher/dispatch.ts";

await query({ name: "setup", text: Deno.args[0]! });
await dispatch(0);
Deno.exit();
