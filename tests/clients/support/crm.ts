import assert from "node:assert/strict";
import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "..", "..", "..");

/**
 * Runs a command of the operator on the stack, and returns what it prints. As a process of its own, because its packages are
 * those of the root.
 */
export async function crm(...args: string[]): Promise<Record<string, string>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--config",
      join(ROOT, "deno.json"),
      join(ROOT, "run", "cli", "main.ts"),
      ...args,
      "--json",
    ],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
