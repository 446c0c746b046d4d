import assert from "node:assert/strict";
import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "..", "..", "..");

/**
 * Runs an operator's command on the stack, and returns what it prints. It runs in another process, because it needs the
 * packages of the root.
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
