import type { z } from "zod";
import { eventually } from "../../bench/harness/waiting.ts";
import type { LoggedRequest } from "../../supabase/functions/_shared/contract/request_log.ts";
import { client, type Reply } from "./client.ts";

const REQUESTS = "/api-v1-me/requests";

/** A row of the log of requests, as the key sees it. */
export type Logged = z.output<typeof LoggedRequest>;

/** Reads the log of a key, newest first, with a query such as `?status=4xx`; 200 rows if the query has no limit. */
export async function readLog(key: string, query = ""): Promise<Logged[]> {
  const limit = query.includes("limit=") ? "" : `${query === "" ? "?" : "&"}limit=200`;
  return (await client(key).get(REQUESTS + query + limit)).body.data;
}

/** The row of a request. Waits until it is written, which is after the reply. */
export async function loggedOf(key: string, { headers }: Pick<Reply, "headers">): Promise<Logged> {
  const id = headers.get("X-Request-Id");
  return await eventually(
    async () => (await readLog(key)).find(({ request_id }) => request_id === id),
    `the log of the request ${id}`,
  );
}
