/**
 * Serves the functions from a folder with only the uploaded files, and a public key in place of Supabase Auth.
 * Arguments: port, folder. Ends when its standard input does.
 */
import { generateSigningKey } from "../../run/local/auth/signing_key.ts";
import { openGateway } from "../../run/local/gateway.ts";

const [port, folder] = Deno.args;
const gateway = openGateway(Number(port));
const { d: _private, ...key } = generateSigningKey();
gateway.serve("/auth/v1/.well-known/jwks.json", () => Promise.resolve(Response.json({ keys: [key] })));
await gateway.openFunctions(folder);

await Deno.stdin.readable.pipeTo(new WritableStream());
Deno.exit();
