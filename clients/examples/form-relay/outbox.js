// Leads that wait for the CRM, one file each, so that neither a crash nor an outage of the API loses a lead.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { CrmError } from "@crm-api/sdk";

/** Statuses whose cause is the key, the address or the moment of the call, so the same lead may succeed later. */
const NOT_FINAL = [401, 402, 403, 404, 408, 409, 429];

/**
 * Opens the folder. Sends the leads in it now, and whenever a lead is added. After a failure it waits as long as the
 * API asks, but at least `retrySeconds`.
 */
export async function openOutbox(crm, { folder, retrySeconds }) {
  const [waiting, refused] = [join(folder, "waiting"), join(folder, "refused")];
  // Leads are personal data, so only the user that runs the relay may read them.
  for (const path of [waiting, refused]) await mkdir(path, { recursive: true, mode: 0o700 });
  const isLead = (name) => name.endsWith(".json");
  // Remove incomplete files that a crash left, because no visitor was told that these leads had arrived.
  for (const name of await readdir(waiting)) if (!isLead(name)) await rm(join(waiting, name));
  let wake;

  /** Stores a lead: writes a temporary file and renames it, so that a crash leaves no incomplete lead. */
  async function keep(lead) {
    const file = join(waiting, `${lead.external_id}.json`);
    const aside = `${file}.${randomUUID()}`;
    await writeFile(aside, JSON.stringify(lead), { mode: 0o600, flush: true });
    await rename(aside, file);
    wake();
  }

  /** Returns the seconds until the next attempt; 0 if nothing waits any more. */
  async function sendAll() {
    let pause = 0;
    for (const name of (await readdir(waiting)).filter(isLead).sort()) {
      try {
        // If an answer was lost, the same external_id creates no second lead.
        await crm.leads.create(JSON.parse(await readFile(join(waiting, name), "utf8")));
        await rm(join(waiting, name));
      } catch (error) {
        const why = `${name}: ${describe(error)}`;
        if (isFinal(error)) {
          await rename(join(waiting, name), join(refused, name));
          console.error(`Lead recusado, guardado em ${refused}: ${why}`);
          continue;
        }
        console.error(`Lead ainda não enviado: ${why}`);
        pause = Math.max(pause, retrySeconds, error.retryAfter ?? 0);
        // A 500 may concern this lead alone, so send the others. Any other error would stop the others too, so wait.
        if (error.status !== 500) break;
      }
    }
    return pause;
  }

  async function sendForEver() {
    for (;;) {
      // Created before sending, so that a lead that is stored meanwhile ends the wait below.
      const woken = new Promise((resolve) => wake = resolve);
      const pause = await sendAll();
      await (pause > 0 ? wait(pause * 1000) : woken);
    }
  }

  sendForEver();
  return { keep };
}

/** Whether the lead itself is wrong, so that sending it again would fail again. */
function isFinal(error) {
  // Not JSON: somebody edited the file.
  if (error instanceof SyntaxError) return true;
  if (!(error instanceof CrmError)) throw error;
  return error.status >= 400 && error.status < 500 && !NOT_FINAL.includes(error.status);
}

function describe({ status, code, message, details = [], requestId }) {
  const fields = details.map(({ field, message }) => `${field}: ${message}`);
  return [status, code, message, ...fields, requestId].filter(Boolean).join(" ");
}
