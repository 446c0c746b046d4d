import type { CallOptions, Http } from "./http.ts";
import { sleep } from "./retry.ts";
import type { Event, EventPage, EventType } from "./types.ts";

/** Options of {@link Crm.sync}. The filters must be the same in each run that continues from a stored cursor. */
export interface SyncOptions<Type extends EventType = EventType> extends CallOptions {
  /** The cursor at which the last run stopped. If it is absent or null, reading begins 30 days ago. */
  cursor?: string | null | undefined;
  /** Reads only these types of events; the result type is narrowed to them. */
  event_types?: Type | Type[] | undefined;
  /** Reads only events of this object. */
  object_id?: string | undefined;
  /** Reads only events at or after this moment. */
  since?: string | Date | undefined;
  /** Maximum events in one call; 200 by default, which is also the largest value. */
  limit?: number | undefined;
  /** Seconds to wait after the newest event before reading on. If absent, reading ends after the newest event. */
  pollEvery?: number | undefined;
}

/** The result of one call. */
export interface Synced<Type extends EventType = EventType> {
  /** Oldest first; empty if nothing happened. `data` is the object as it is now. */
  events: Extract<Event, { event: Type }>[];
  /** The cursor at which the next run begins. Store it after you have handled the events. */
  cursor: string;
}

/** Reads the feed of events after a cursor. */
export async function* readFeed<Type extends EventType>(
  http: Http,
  { cursor, event_types, object_id, since, limit = 200, pollEvery, ...options }: SyncOptions<Type>,
): AsyncGenerator<Synced<Type>, void, undefined> {
  for (;;) {
    const query = { cursor: cursor ?? undefined, event_types, object_id, since, limit };
    const { data, meta } = await http.call<EventPage>("events.list", { query, options });
    cursor = meta.next_cursor;
    // Yields even without events, so that the caller can store the newer cursor: a cursor expires after 30 days.
    yield { events: data as Synced<Type>["events"], cursor };
    if (meta.has_more) continue;
    if (pollEvery === undefined) return;
    await sleep(pollEvery, options.signal);
  }
}
