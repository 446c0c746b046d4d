import { fileURLToPath } from "node:url";
import { outcomeOf } from "./run.ts";

/** Runs a part of the lab in short sizes. Its exit code is 0 if every figure was within its limit. */
export async function runShort(part: "attacks" | "performance" | "reliability", ...args: string[]) {
  const main = fileURLToPath(new URL(`../../bench/${part}/main.ts`, import.meta.url));
  const { code, stdout, stderr } = await outcomeOf(Deno.execPath(), [
    "run",
    "-A",
    "--no-check",
    main,
    "--short",
    ...args,
  ]);
  return { code, output: stdout + stderr };
}
