// Each run brings contacts.json up to date with the CRM: deno run -A with_sdk.ts, with CRM_KEY and CRM_URL in the
// environment.
import { readFile, rename, writeFile } from "node:fs/promises";
import process from "node:process";
import { type Contact, Crm } from "@crm-api/sdk";

const crm = new Crm({ key: process.env["CRM_KEY"], baseUrl: process.env["CRM_URL"] });
const saved = await readFile("contacts.json", "utf8").then(JSON.parse, () => null);
const contacts = new Map<string, Contact>(saved?.contacts);
// Take the feed's cursor before the copy, so that the feed then also has the changes made during the copy.
const start: string = saved?.cursor ?? await crm.events.currentCursor();
if (!saved) { for await (const contact of crm.contacts.list()) contacts.set(contact.id, contact); }

const feed = crm.sync({
  cursor: start,
  event_types: ["contact.created", "contact.updated", "contact.erased"],
});
for await (const { events, cursor } of feed) {
  for (const event of events) {
    const contact = event.event === "contact.erased" ? null : event.data;
    if (contact?.archived_at === null) contacts.set(contact.id, contact);
    else contacts.delete(event.object_id);
  }
  await writeFile("contacts.new", JSON.stringify({ cursor, contacts: [...contacts] }));
  await rename("contacts.new", "contacts.json");
}
console.log(contacts.size, "contacts");
