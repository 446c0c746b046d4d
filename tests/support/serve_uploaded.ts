/**
 * Serves functions from a folder that has nothing but what was uploaded. Arguments: port, folder. It ends when its
 * standard input does.
 */
import { openGateway } from "../../local/gateway.ts";

const [port, folder] = Deno.args;
const gateway = openGateway(Number(port));
await gateway.openFunctions(folder);

await Deno.stdin.readable.pipeTo(new WritableStream());
Deno.exit();
