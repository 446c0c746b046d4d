import type { CallOptions, Http } from "./http.ts";
import { sleep } from "./retry.ts";
import type { Event, EventPage, EventType } from "./types.ts";

/** Where and what {@link Crm.sync} reads. The choices must be the same in each run. */
export interface SyncOptions<Type extends EventType = EventType> extends CallOptions {
  /** Where the last run stopped; where absent or null, the oldest event that is kept. */
  cursor?: string | null | undefined;
  /** Only these events; the type of what is read follows from it. */
  event_types?: Type | Type[] | undefined;
  /** Only what happened to this object. */
  object_id?: string | undefined;
  /** Only what happened at or after this moment. */
  since?: string | Date | undefined;
  /** Most events in one call; 200 at most and by default. */
  limit?: number | undefined;
  /** Seconds to wait before reading on when there is nothing more; where absent, reading ends. */
  pollEvery?: number | undefined;
}

/** The result of one call. */
export interface Synced<Type extends EventType = EventType> {
  /** In order; empty where nothing happened. `data` is the object as it is now. */
  events: Extract<Event, { event: Type }>[];
  /** Where the next run begins. Store it after the work on the events. */
  cursor: string;
}

/** Reads the feed of events, from a cursor on. */
export async function* readFeed<Type extends EventType>(
  http: Http,
  { cursor, event_types, object_id, since, limit = 200, pollEvery, ...options }: SyncOptions<Type>,
): AsyncGenerator<Synced<Type>, void, undefined> {
  for (;;) {
    const query = { cursor: cursor ?? undefined, event_types, object_id, since, limit };
    const { data, meta } = await http.call<EventPage>("events.list", { query, options });
    cursor = meta.next_cursor;
    // Also without events: a cursor that is stored grows old, and one older than 30 days has expired.
    yield { events: data as Synced<Type>["events"], cursor };
    if (meta.has_more) continue;
    if (pollEvery === undefined) return;
    await sleep(pollEvery, options.signal);
  }
}
