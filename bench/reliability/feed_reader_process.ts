/**
 * Reads the feed over HTTP until it is killed, starting where the last reader stopped. A page and its cursor are stored
 * as one line of a file, so that a kill loses both or none. Arguments: the address of the functions, the key, the file.
 */
import { pause } from "../harness/waiting.ts";

export interface StoredPage {
  events: { id: string; name: string }[];
  cursor: string;
}

export function parsePages(text: string): StoredPage[] {
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

if (import.meta.main) {
  const [baseUrl, key, path] = Deno.args as [string, string, string];
  const text = await Deno.readTextFile(path);
  await Deno.truncate(path, new TextEncoder().encode(text.slice(0, text.lastIndexOf("\n") + 1)).length);
  let cursor = parsePages(text).at(-1)?.cursor;
  using file = await Deno.open(path, { append: true });
  for (;;) {
    const query = new URLSearchParams({ limit: "200", ...(cursor !== undefined && { cursor }) });
    const response = await fetch(`${baseUrl}/api-v1-events?${query}`, { headers: { "X-API-Key": key } });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    const { data, meta } = await response.json();
    const page: StoredPage = {
      events: data.map((event: { id: string; data: { name: string } }) => ({
        id: event.id,
        name: event.data.name,
      })),
      cursor: meta.next_cursor,
    };
    if (page.events.length > 0) file.writeSync(new TextEncoder().encode(`${JSON.stringify(page)}\n`));
    cursor = page.cursor;
    if (!meta.has_more) await pause(20);
  }
}
