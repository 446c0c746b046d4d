import assert from "node:assert/strict";
import { join } from "node:path";
import { baseUrl } from "../support/stack.ts";

/**
 * Runs blocks of a page as if pasted one after the other, for a reader who has a key, and returns what they printed. curl
 * fails on an error reply, and the blocks end at the first failure.
 */
export async function runPasted(blocks: string[], key: string, variables: Record<string, string> = {}) {
  return await inShell(
    ["set -eo pipefail", 'curl() { command curl --fail-with-body "$@"; }', ...blocks],
    key,
    variables,
  );
}

/** Runs blocks of a page as they are, also where a call is answered with an error. */
export async function runPastedWithErrors(blocks: string[], key: string): Promise<string> {
  return await inShell(blocks, key, {});
}

/** The reader's folder has what the pages read of a local stack: its address and a key. */
async function inShell(lines: string[], key: string, variables: Record<string, string>): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    // Without DATA_DIR the pages name the default data folder, `.local`.
    await Deno.mkdir(join(folder, ".local"));
    await Deno.writeTextFile(
      join(folder, ".local/stack.json"),
      JSON.stringify({ base_url: baseUrl, demo_key: key }, null, 2),
    );
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", lines.join("\n")],
      cwd: folder,
      env: { DATA_DIR: "", ...variables },
      stdin: "null",
      signal: AbortSignal.timeout(60_000),
    }).output();
    const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.ok(success, `${printed}${errors}`);
    return printed!;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
