// Runs a dispatcher until no delivery is due. Arguments: the owner's connection, and SQL for it to run first.
import { openSql } from "../../local/sql.ts";
import { query } from "../../supabase/functions/_shared/postgres/database.ts";
import { dispatch } from "../../supabase/functions/webhook-dispatcher/dispatch.ts";

const [ownerUrl, setup] = Deno.args as [string, string];
const sql = openSql(ownerUrl, { max: 1 });
// Connects first, so that the claim follows the setup at once and no other dispatcher comes between the two.
await query({ name: "connect", text: "select" });
await sql.unsafe(setup);
await dispatch();
Deno.exit();
