import { inBackground } from "./background.ts";

type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Milliseconds for which equal events are counted before one line is written for them. */
const COUNT_MS = 1_000;

/**
 * Writes one line of JSON to standard output. Never pass it a key, a body, an e-mail address or a secret.
 *
 * @param event what happened, e.g. `request`
 */
export function log(event: string, fields: LogFields): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}

/** Logs an exception that nobody expected, with the id of the request that failed. */
export function logFault(requestId: string, fault: unknown): void {
  const error = fault instanceof Error ? fault.stack ?? fault.message : String(fault);
  log("error", { request_id: requestId, error });
}

const counts = new Map<string, { event: string; fields: LogFields; count: number }>();

/** Counts events with the same fields and writes one line a second for them, with their `count`. */
export function logCount(event: string, fields: LogFields): void {
  const key = JSON.stringify([event, fields]);
  const entry = counts.get(key);
  if (entry) entry.count++;
  else {
    if (counts.size === 0) {
      inBackground(new Promise((done) => setTimeout(() => done(writeCounts()), COUNT_MS)));
    }
    counts.set(key, { event, fields, count: 1 });
  }
}

function writeCounts(): void {
  for (const { event, fields, count } of counts.values()) log(event, { ...fields, count });
  counts.clear();
}
