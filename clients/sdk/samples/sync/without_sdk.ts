// Each run brings contacts.json up to date with the CRM: deno run -A without_sdk.ts, with CRM_KEY and CRM_URL in the
// environment.
import { readFile, rename, writeFile } from "node:fs/promises";
import process from "node:process";

const { CRM_KEY, CRM_URL } = process.env;
if (!CRM_KEY || !CRM_URL) throw new Error("CRM_KEY or CRM_URL is missing");
const key = CRM_KEY;
const ATTEMPTS = 6;

interface Contact {
  id: string;
  name: string;
  email: string | null;
  archived_at: string | null;
}

interface ContactEvent {
  event: string;
  object_id: string;
  data: Contact | null;
}

interface Page<Item> {
  data: Item[];
  meta: { next_cursor: string | null; has_more: boolean };
}

async function read<Item>(path: string, query: Record<string, string>): Promise<Page<Item>> {
  const address = `${CRM_URL}/${path}?${new URLSearchParams({ limit: "200", ...query })}`;
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let wait = 2 ** attempt * (1 + Math.random() / 2);
    try {
      const response = await fetch(address, {
        headers: { "X-API-Key": key },
        signal: AbortSignal.timeout(30_000),
      });
      if (response.ok) return await response.json();
      failure = new Error(`${response.status}: ${await response.text()}`);
      if (response.status !== 429 && response.status < 500) break;
      const retryAfter = Number(response.headers.get("Retry-After") ?? 0);
      if (retryAfter > 0) wait = retryAfter + Math.random();
    } catch (error) {
      failure = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
  }
  throw failure;
}

async function* pages<Item>(path: string, query: Record<string, string>) {
  for (let cursor = query["cursor"];;) {
    const page: Page<Item> = await read(path, { ...query, ...(cursor && { cursor }) });
    yield page;
    if (!page.meta.has_more || page.meta.next_cursor === null) return;
    cursor = page.meta.next_cursor;
  }
}

const saved = await readFile("contacts.json", "utf8").then(JSON.parse, () => null);
const contacts = new Map<string, Contact>(saved?.contacts);
let cursor: string = saved?.cursor ?? "";
if (!saved) {
  // Take the feed's cursor before the copy, so that the feed then also has the changes made during the copy.
  for await (const { meta } of pages("api-v1-events", { since: new Date().toISOString() })) {
    cursor = meta.next_cursor ?? cursor;
  }
  for await (const { data } of pages<Contact>("api-v1-contacts", {})) {
    for (const contact of data) contacts.set(contact.id, contact);
  }
}

const event_types = "contact.created,contact.updated,contact.erased";
for await (const { data, meta } of pages<ContactEvent>("api-v1-events", { cursor, event_types })) {
  for (const { event, object_id, data: contact } of data) {
    if (event !== "contact.erased" && contact?.archived_at === null) contacts.set(object_id, contact);
    else contacts.delete(object_id);
  }
  cursor = meta.next_cursor ?? cursor;
  await writeFile("contacts.new", JSON.stringify({ cursor, contacts: [...contacts] }));
  await rename("contacts.new", "contacts.json");
}
console.log(contacts.size, "contacts");
