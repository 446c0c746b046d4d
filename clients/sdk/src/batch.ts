import type { DryRunOptions } from "./http.ts";
import type { BatchResult } from "./types.ts";

/** Maximum items in one call, and maximum bytes of their JSON. The API refuses bodies over 1 MiB. */
const MOST_ITEMS = 100;
const MOST_BYTES = 1_000_000;

/** The progress of a batch after one of its calls. */
export interface Progress {
  /** Items sent and answered so far. */
  done: number;
  /** How many items were created, updated and failed so far. */
  summary: BatchResult["summary"];
  /** The results of this call alone. */
  results: BatchResult["results"];
}

/** Options of a batch. */
export interface BatchOptions extends DryRunOptions {
  /** Writes either all items or none. Such a batch can have at most 100 items and 1 MB. */
  atomic?: boolean | undefined;
  /** Called after each call of up to 100 items. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Sends items in as many calls as they need, one after the other. Each call gets an idempotency key derived from
 * `idempotencyKey`, so that sending the same items again with the same `idempotencyKey` creates nothing twice.
 *
 * @param send sends the items of one call
 * @returns the results of all calls; each `index` is the position in the whole batch
 * @throws CrmError the error of the first call that fails; earlier calls were reported to `onProgress`
 */
export async function sendBatch<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { onProgress, ...options }: BatchOptions,
  send: (body: { items: Item[]; atomic?: true }, options: DryRunOptions) => Promise<BatchResult>,
): Promise<BatchResult> {
  const { atomic, idempotencyKey } = options;
  const total: BatchResult = { results: [], summary: { created: 0, updated: 0, failed: 0 } };
  let call = 0;
  for await (const group of groupsOf(items)) {
    if (atomic && group.more) {
      throw new TypeError(
        "A batch with atomic takes at most 100 items and 1 MB, because only one call is atomic",
      );
    }
    const key = idempotencyKey === undefined || call === 0 ? idempotencyKey : `${idempotencyKey}:${call}`;
    const reply = await send(
      { items: group.items, ...(atomic && { atomic }) },
      { ...options, idempotencyKey: key },
    );
    const results = reply.results.map((result) => ({
      ...result,
      index: total.results.length + result.index,
    }));
    total.results.push(...results);
    for (const name of ["created", "updated", "failed"] as const) total.summary[name] += reply.summary[name];
    onProgress?.({ done: total.results.length, summary: { ...total.summary }, results });
    call++;
  }
  return total;
}

/** Divides items into groups, each small enough for one call. `more` says whether another group follows. */
async function* groupsOf<Item>(items: Iterable<Item> | AsyncIterable<Item>) {
  const utf8 = new TextEncoder();
  let group: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = utf8.encode(JSON.stringify(item)).length + 1;
    if (group.length > 0 && (group.length === MOST_ITEMS || bytes + size > MOST_BYTES)) {
      yield { items: group, more: true };
      group = [];
      bytes = 0;
    }
    group.push(item);
    bytes += size;
  }
  if (group.length > 0) yield { items: group, more: false };
}
