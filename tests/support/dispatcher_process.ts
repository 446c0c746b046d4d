// Runs a dispatcher until no delivery is due. Arguments: the owner's database URL; SQL to run first as the owner; the
// milliseconds that the dispatcher waits for the next delivery, 0 by default.
import { openSql } from "../../run/local/sql.ts";
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { dispatch } from "../../supabase/functions/webhook-dispatcher/dispatch.ts";

const [ownerUrl, setup, stayMs = "0"] = Deno.args as [string, string, string?];
const sql = openSql(ownerUrl, { max: 1 });
// Connects before the setup: while this dispatcher connected, another could claim what the setup inserts.
await query({ name: "connect", text: "select" });
await sql.unsafe(setup);
await dispatch(Number(stayMs));
Deno.exit();
