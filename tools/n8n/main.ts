/**
 * `deno task n8n`: writes the actions of the n8n node and the events of its trigger. It then installs the packages of
 * clients/n8n, checks the node with n8n's linter, builds it into clients/n8n/dist and packs it for `npm install`.
 */
import { fileURLToPath } from "node:url";
import { replaceFile } from "../openapi/files.ts";
import { writtenProperties } from "./files.ts";

const PACKAGE = fileURLToPath(new URL("../../clients/n8n/", import.meta.url));

await replaceFile(`${PACKAGE}nodes/written/properties.ts`, writtenProperties());
await run(Deno.execPath(), "install", "--quiet", "--no-lock");
await run("npm", "run", "lint");
await run("npm", "run", "build");
await run("npm", "pack");

async function run(program: string, ...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(program, { args, cwd: PACKAGE, stdin: "null" }).spawn().status;
  if (!success) Deno.exit(1);
}
