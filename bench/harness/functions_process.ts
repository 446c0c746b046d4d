/**
 * Serves the functions behind the local gateway, in a separate process so that its processor time can be measured. The
 * arguments are folders with further functions. If DISPATCHER_ORIGIN is set, the functions poke the dispatcher of
 * another process, at that address. Prints its own base URL when it is ready, and exits when its standard input ends.
 */
import { openGateway } from "../../run/local/gateway.ts";

const gateway = openGateway(0);
Deno.env.set("SUPABASE_URL", Deno.env.get("DISPATCHER_ORIGIN") || gateway.origin);
await gateway.openFunctions();
for (const folder of Deno.args) await gateway.openFunctions(folder);
console.log(`${gateway.origin}/functions/v1`);

await Deno.stdin.readable.pipeTo(new WritableStream());
Deno.exit();
