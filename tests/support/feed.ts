import assert from "node:assert/strict";
import type { client } from "./client.ts";
import { eventually } from "./mailbox.ts";

export const EVENTS = "/api-v1-events";

export interface FeedEvent {
  id: string;
  event: string;
  workspace_id: string;
  object_type: string;
  object_id: string;
  // deno-lint-ignore no-explicit-any -- the fields of the object
  data: any;
  occurred_at: string;
}

interface Page {
  data: FeedEvent[];
  meta: { next_cursor: string; has_more: boolean };
}

type Api = ReturnType<typeof client>;

/** Reads one page: the first, unless `query` has a cursor. */
export async function readPage(api: Api, query: Record<string, string> = {}): Promise<Page> {
  const reply = await api.get(`${EVENTS}?${new URLSearchParams(query)}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Reads from a cursor, or from the beginning, until a page says that no more follow. */
export async function readAll(api: Api, query: Record<string, string> = {}) {
  const pages: Page[] = [];
  let cursor = query["cursor"];
  for (let more = true; more;) {
    const page = await readPage(api, { ...query, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    ({ next_cursor: cursor, has_more: more } = page.meta);
    assert.ok(pages.length < 1000, "the feed comes to an end");
  }
  return { events: pages.flatMap(({ data }) => data), cursor: cursor!, pages };
}

/**
 * Reads until there are `count` events. The feed shows an event only after all earlier writing transactions have ended,
 * including those of jobs and of other databases in the cluster.
 */
export function readUntil(api: Api, count: number, query: Record<string, string> = {}) {
  return eventually(async () => {
    const read = await readAll(api, query);
    return read.events.length >= count && read;
  }, `${count} events`);
}
