/**
 * The functions behind the local gateway, in a process of their own: what it uses of the processor is then known. Its
 * arguments are folders of further functions. Prints the address once it answers,
 * and ends when its standard input does.
 */
import { openGateway } from "../../local/gateway.ts";

const gateway = openGateway(0);
Deno.env.set("SUPABASE_URL", gateway.origin);
await gateway.openFunctions();
for (const folder of Deno.args) await gateway.openFunctions(folder);
console.log(`${gateway.origin}/functions/v1`);

await Deno.stdin.readable.pipeTo(new WritableStream());
Deno.exit();
