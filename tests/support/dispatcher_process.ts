// Runs a dispatcher until no delivery is due. Arguments: SQL to run first; the milliseconds that it stays for the next
// delivery, 0 by default.
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { dispatch } from "../../supabase/functions/webhook-dispatcher/dispatch.ts";

await query({ name: "setup", text: Deno.args[0]! });
await dispatch(Number(Deno.args[1] ?? 0));
Deno.exit();
