/**
 * Serves functions from a folder that has nothing but what was uploaded. Arguments: port, folder. Prints the address when
 * it is ready, and ends when its standard input does.
 */
import { openGateway } from "../../local/gateway.ts";

const [port, folder] = Deno.args;
const gateway = openGateway(Number(port));
await gateway.openFunctions(folder);
console.log(`${gateway.origin}/functions/v1`);

await Deno.stdin.readable.pipeTo(new WritableStream());
Deno.exit();
