import assert from "node:assert/strict";
import { join } from "node:path";
import { readLines } from "../../bench/harness/processes.ts";
import { makeContacts } from "../support/feed_rows.ts";
import { openFolder } from "../support/folder.ts";
import { eventually } from "../support/mailbox.ts";
import { test } from "../support/scenario.ts";
import { baseUrl } from "../support/stack.ts";
import { openPage } from "./claims.ts";

const { blocks } = await openPage("events", { js: 1, json: 1 });

test("The events page's reader gets each event once, even if it is killed and started again", async ({ sql, workspace, api }) => {
  await using folder = await openFolder();
  const script = join(folder.path, "read.mjs");
  await Deno.writeTextFile(script, blocks.js[0]!);

  /** Whether the stored cursor is at the end of the feed: the reader prints events before it stores their cursor. */
  async function hasStoredAll(): Promise<boolean> {
    const cursor = await Deno.readTextFile(join(folder.path, "crm-cursor")).catch(() => "");
    return cursor !== "" && (await api.get(`/api-v1-events?cursor=${cursor}`)).body.data.length === 0;
  }

  /** Starts the reader, waits for `count` events, and kills it once it has stored the cursor that follows them. */
  async function readKilled(count: number): Promise<string[]> {
    const reader = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script],
      cwd: folder.path,
      env: { CRM_URL: baseUrl, CRM_KEY: workspace.key },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const found: string[] = [];
    const lines = readLines(reader.stdout);
    while (found.length < count) {
      const { value } = await lines.next();
      assert.ok(value !== undefined, "the reader goes on");
      found.push(JSON.parse(value).data.name);
    }
    await eventually(hasStoredAll, "the cursor");
    reader.kill("SIGKILL");
    await reader.status;
    await lines.next();
    return found;
  }

  await makeContacts(sql, workspace, 3, "Antes");
  assert.deepEqual(await readKilled(3), ["Antes 1", "Antes 2", "Antes 3"]);
  await makeContacts(sql, workspace, 2, "Depois");
  assert.deepEqual(await readKilled(2), ["Depois 1", "Depois 2"]);
});

test("A reply of the feed has the fields that the events page shows", async ({ workspace, api, newDeal }) => {
  const deal = await newDeal();
  await api.post(`/api-v1-deals/${deal.id}/win`, {});
  const real = await eventually(async () => {
    const { body } = await api.get("/api-v1-events?event_types=deal.won&limit=10");
    return body.data.length > 0 && body;
  }, "the event of the deal that was won");
  const shown = JSON.parse(blocks.json[0]!);
  assert.deepEqual(Object.keys(shown), Object.keys(real));
  assert.deepEqual(Object.keys(shown.meta), Object.keys(real.meta));
  const { data: shownDeal, ...shownEvent } = shown.data[0];
  const { data: realDeal, ...realEvent } = real.data[0];
  assert.deepEqual(Object.keys(shownEvent), Object.keys(realEvent));
  assert.equal(realEvent.workspace_id, workspace.id);
  for (const field of Object.keys(shownDeal)) assert.ok(field in realDeal, field);
  assert.equal(shownDeal.status, realDeal.status);
});
