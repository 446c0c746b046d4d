// sync.mjs
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { Crm } from "@crm-api/sdk";

const crm = new Crm({ key: process.env.CRM_KEY, baseUrl: process.env.CRM_URL });
const saved = await readFile("crm-cursor", "utf8").catch(() => null);

for await (const { events, cursor } of crm.sync({ cursor: saved })) {
  for (const { event, object_id } of events) console.log(event, object_id);
  await writeFile("crm-cursor", cursor);
}
