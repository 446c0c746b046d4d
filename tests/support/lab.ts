import assert from "node:assert/strict";
import { join } from "node:path";

const LAB = join(import.meta.dirname!, "../../bench");

/** Runs a part of the lab in short sizes; `success` is whether every figure was within its limit. */
export async function outputOf(
  part: "attacks" | "performance" | "reliability",
  ...args: string[]
): Promise<{ success: boolean; output: string }> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(LAB, part, "main.ts"), "--short", ...args],
  }).output();
  return { success, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

/** Like {@link outputOf}, and asserts that every figure was within its limit. */
export async function runShort(...args: Parameters<typeof outputOf>): Promise<void> {
  const { success, output } = await outputOf(...args);
  assert.ok(success, output);
}
