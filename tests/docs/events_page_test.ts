import assert from "node:assert/strict";
import { join } from "node:path";
import { readLines } from "../../lab/harness/processes.ts";
import { makeContacts } from "../support/feed_rows.ts";
import { test } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { readSnippet } from "./page.ts";

test("The reader of docs/events.md gets each event once, although it is killed and started again", async ({ sql, workspace }) => {
  const folder = await Deno.makeTempDir();
  const script = join(folder, "read.mjs");
  await Deno.writeTextFile(script, await readSnippet("events.md", "Read everything, once", "js"));

  /** Starts the reader, waits for `count` events, and kills it once it has stored its cursor. */
  async function readKilled(count: number): Promise<string[]> {
    const reader = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script],
      cwd: folder,
      env: { BASE: baseUrl, KEY: workspace.key },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const stored = Deno.watchFs(folder);
    const found: string[] = [];
    const lines = readLines(reader.stdout);
    while (found.length < count) {
      const { value } = await lines.next();
      assert.ok(value !== undefined, "the reader goes on");
      found.push(JSON.parse(value).data.name);
    }
    for await (const { paths, kind } of stored) {
      if (kind === "rename" && paths.some((path) => path.endsWith("crm-cursor"))) break;
    }
    reader.kill("SIGKILL");
    await reader.status;
    await lines.next();
    return found;
  }

  try {
    await makeContacts(sql, workspace, 3, "Antes");
    assert.deepEqual(await readKilled(3), ["Antes 1", "Antes 2", "Antes 3"]);
    await makeContacts(sql, workspace, 2, "Depois");
    assert.deepEqual(await readKilled(2), ["Depois 1", "Depois 2"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
