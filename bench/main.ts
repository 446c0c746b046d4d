/**
 * `deno task lab -- <part>` runs a part of the lab: `attacks`, `performance` (also `deno task bench`) or `reliability`
 * (also `deno task chaos`). The part gets the arguments that follow.
 */
import { join } from "node:path";
import { spawnScript } from "./harness/processes.ts";

const PARTS = ["attacks", "performance", "reliability"];

const [part = "", ...args] = Deno.args.filter((arg) => arg !== "--");
if (!PARTS.includes(part)) {
  console.error(`Name a part of the lab: ${PARTS.join(", ")}`);
  Deno.exit(2);
}
const script = join(import.meta.dirname!, part, "main.ts");
const { code } = await spawnScript([script, ...args], { stdin: "inherit" }).status;
Deno.exit(code);
