// Stores each event once, and processes it after the CRM got its answer.
import { setTimeout as wait } from "node:timers/promises";
import Database from "libsql";

/**
 * Opens the inbox and calls `work` for each event in it, including those left by an earlier run. If `work` throws, it
 * is called again after `retrySeconds`.
 */
export function openInbox(file, work, retrySeconds) {
  const db = new Database(file);
  // Events may have personal data, so they are deleted after the work. Their ids stay, to recognise repetitions.
  db.pragma("secure_delete = on");
  db.exec(
    "create table if not exists events (event_id text primary key, delivery text, received_at text not null)",
  );
  let wake;

  async function workForEver() {
    for (;;) {
      // Created before the work, so that an event that arrives meanwhile ends the wait below.
      const woken = new Promise((resolve) => wake = resolve);
      let failed = false;
      const waiting = db.prepare(
        "select event_id from events where delivery is not null order by received_at",
      );
      for (const { event_id } of waiting.all()) {
        const { delivery } = db.prepare("select delivery from events where event_id = ?").get(event_id);
        try {
          await work(JSON.parse(delivery));
          db.prepare("update events set delivery = null where event_id = ?").run(event_id);
        } catch (error) {
          failed = true;
          console.error(`Evento ${event_id} ainda não processado:`, error);
        }
      }
      await (failed ? wait(retrySeconds * 1000) : woken);
    }
  }

  workForEver();
  return {
    /** Stores a delivery, unless its event is stored already, because the same event may arrive several times. */
    add(delivery) {
      db.prepare("insert or ignore into events values (?, ?, ?)")
        .run(delivery.event_id, JSON.stringify(delivery), new Date().toISOString());
      wake();
    },
  };
}
