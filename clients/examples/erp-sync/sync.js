// Brings the copy up to date. It may be killed at any moment: the next run continues where this one stopped.
//   node sync.js            every night: what was merged, erased or changed since the last run
//   node sync.js --events   every few minutes: what was merged or erased; after an erasure also what changed
import process from "node:process";
import { parseArgs } from "node:util";
import { Crm, CrmError } from "@crm-api/sdk";
import { openCopy } from "./copy.js";

/** Companies first, so that the copy gets a company before its contacts. */
const TABLES = { companies: "Empresas", contacts: "Contatos", deals: "Negócios" };
const LONG_AGO = "2000-01-01T00:00:00Z";

const { CRM_URL, CRM_KEY, DATABASE = "crm.db" } = process.env;
if (!CRM_URL || !CRM_KEY) {
  console.error("Preencha CRM_URL e CRM_KEY no arquivo .env.");
  process.exit(1);
}
const { values: { events: onlyEvents } } = parseArgs({
  options: { events: { type: "boolean", default: false } },
});
const crm = new Crm({ baseUrl: CRM_URL, key: CRM_KEY });
const copy = openCopy(DATABASE);
try {
  const readLists = await readEvents();
  if (readLists || !onlyEvents) {
    for (const table of Object.keys(TABLES)) await readList(table);
  }
} catch (error) {
  if (!(error instanceof CrmError)) throw error;
  console.error(`Parou: ${error.code}: ${error.message} (${error.requestId}). Rode de novo para continuar.`);
  process.exitCode = 1;
} finally {
  copy.close();
}

/**
 * Applies the merges and erasures since the last run, in their order. One transaction applies a page of events and
 * stores its cursor, so that an interrupted run skips no event.
 *
 * @returns whether the lists must be read now, even in a run with --events
 */
async function readEvents() {
  const counts = { "contact.merged": 0, "contact.erased": 0 };
  const cursor = copy.mark("events");
  // The first run reads no events and only stores the current cursor, because the lists contain all earlier changes.
  if (cursor === null) return await beginFeed();
  try {
    for await (const { events, cursor: next } of crm.sync({ cursor, event_types: Object.keys(counts) })) {
      copy.atOnce(() => {
        for (const { event, object_id, data } of events) {
          counts[event]++;
          if (event === "contact.erased") copy.erase("contacts", object_id);
          // If data is null, which is rare, the next run without --events finds the merge in the lists.
          else if (data !== null) copy.merge("contacts", data.merged_contact_id, object_id);
        }
        copy.setMark("events", next);
      });
    }
  } catch (error) {
    // The last run was over 30 days ago. Take a new cursor and read the lists, which also show the records that were
    // merged or erased meanwhile.
    if (error.code !== "cursor_expired") throw error;
    return await beginFeed();
  }
  console.log(`Eventos: ${counts["contact.merged"]} fusões, ${counts["contact.erased"]} apagamentos`);
  // An erasure also changes deals that name the person, so the lists must be read.
  return counts["contact.erased"] > 0;
}

async function beginFeed() {
  copy.setMark("events", await crm.events.currentCursor());
  return true;
}

/** Reads what changed since the mark of the last run. If that run was interrupted, continues after its last page. */
async function readList(table) {
  const { since, until, cursor } = copy.mark(table) ?? { since: LONG_AGO };
  const mark = { since, until };
  let read = 0;
  const list = crm[table].list({ updated_since: since, archived: "any", ...(cursor && { cursor }) });
  for await (const { data, meta } of list.pages()) {
    // The next run starts at the mark of the first page, so it also gets what changes while this run reads.
    mark.until ??= meta.synced_until;
    copy.atOnce(() => {
      for (const record of data) copy.put(table, record);
      copy.setMark(table, meta.has_more ? { ...mark, cursor: meta.next_cursor } : { since: mark.until });
    });
    read += data.length;
  }
  console.log(`${TABLES[table]}: ${read} recebidos, ${copy.count(table)} na cópia`);
}
