/** Sends rows to the function, 100 at a time. */
import type { z } from "zod";
import type { ContactImportResult } from "../../../supabase/functions/app-v1-contacts/schema.ts";
import { call, Failure } from "../../app/mod.ts";
import type { Row } from "./rows.ts";

type Reply = z.output<typeof ContactImportResult>;
export type Result = Reply["results"][number];

/** Limits of one call: the function takes at most 100 contacts, and a body of at most 1 MiB. */
const BATCH_ROWS = 100;
const BATCH_BYTES = 900_000;
/** Seconds between tries. An upsert may be sent twice, so a call whose reply was lost is simply repeated. */
const WAITS = [1, 2, 4, 8];

/**
 * Sends the rows in order and calls `onResults` after each batch. With `isDry` nothing is written.
 * @throws Failure if a batch fails for good; the batches before it are done
 */
export async function sendRows(
  rows: Row[],
  { isDry, signal, onResults }: {
    isDry: boolean;
    /** Stops before the next batch, and ends the wait for another try. */
    signal: AbortSignal;
    onResults: (rows: Row[], results: Result[]) => void;
  },
): Promise<void> {
  const path = `app-v1-contacts/import${isDry ? "?dry_run=true" : ""}`;
  for (const batch of batchesOf(rows)) {
    if (signal.aborted) return;
    const body = { items: batch.map(({ item }) => item) };
    const reply = await withTries(() => call<Reply>("POST", path, { body }), signal);
    onResults(batch, reply.results);
  }
}

function batchesOf(rows: Row[]): Row[][] {
  const batches: Row[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const size = new TextEncoder().encode(JSON.stringify(row.item)).length;
    if (bytes + size > BATCH_BYTES || batches.at(-1)!.length === BATCH_ROWS) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(row);
    bytes += size;
  }
  return batches;
}

async function withTries<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tried = 0;; tried++) {
    try {
      return await work();
    } catch (thrown) {
      const mayPass = thrown instanceof Failure && ["away", "limited", "server"].includes(thrown.kind);
      if (!mayPass || tried === WAITS.length || signal.aborted) throw thrown;
      await pause(Math.max(WAITS[tried]!, thrown.retryAfter), signal);
      if (signal.aborted) throw thrown;
    }
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
