/**
 * `deno task lab -- attacks` runs one part of the lab, with the arguments that follow: `attacks`, `performance` (as
 * `deno task bench`) or `reliability` (as `deno task chaos`).
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
