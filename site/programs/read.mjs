// read.mjs: node read.mjs, with CRM_URL and CRM_KEY in the environment
import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import process from "node:process";

const { CRM_URL, CRM_KEY } = process.env;
let cursor = await readFile("crm-cursor", "utf8").catch(() => "");

for (;;) {
  const query = new URLSearchParams({ limit: "200", ...(cursor && { cursor }) });
  const reply = await fetch(`${CRM_URL}/api-v1-events?${query}`, { headers: { "X-API-Key": CRM_KEY } });
  if (reply.status === 429 || reply.status >= 500) {
    await wait(1000 * Number(reply.headers.get("Retry-After") ?? 5));
    continue;
  }
  // 410 cursor_expired: the reader was away for more than 30 days
  if (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`);
  const { data, meta } = await reply.json();

  for (const event of data) console.log(JSON.stringify(event));

  cursor = meta.next_cursor;
  await writeFile("crm-cursor.new", cursor);
  await rename("crm-cursor.new", "crm-cursor"); // a crash leaves the old cursor or the new one, never half of it
  if (!meta.has_more) await wait(10_000);
}
