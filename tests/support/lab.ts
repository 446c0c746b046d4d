import assert from "node:assert/strict";
import { join } from "node:path";

const LAB = join(import.meta.dirname!, "../../lab");

/** Runs a part of the lab in its short sizes, and asserts that it held every figure. */
export async function runShort(
  part: "attacks" | "performance" | "reliability",
  ...args: string[]
): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(LAB, part, "main.ts"), "--short", ...args],
  }).output();
  assert.ok(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
}
