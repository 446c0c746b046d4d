// Runs writers, a reader of the feed, a dispatcher and the jobs of two nodes while a workspace moves between the nodes.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Sql } from "postgres";
import { table as contacts } from "../../supabase/functions/api-v1-contacts/table.ts";
import { table as events } from "../../supabase/functions/api-v1-events/table.ts";
import { serveResource } from "../../supabase/functions/_shared/http/serve.ts";
import { claimDeliveries } from "../../supabase/functions/webhook-dispatcher/queue.ts";
import { recordSuccess } from "./nodes.ts";

/** What happened under the load. */
export interface Load {
  /** Ids of contacts whose creation the API has acknowledged. */
  created: string[];
  /** Ids of objects by event, in the order of the feed. */
  read: { id: string; event: string; objectId: string }[];
  /** How often each delivery was claimed. */
  sent: Map<string, number>;
  /** Statuses of replies other than 2xx. */
  refused: number[];
  /** Ends the load, and reads what is left of the feed and of the queue. */
  end(): Promise<void>;
}

/** Milliseconds between two calls of a writer, and between two looks at the feed or the queue. */
const PACE_MS = 25;
const JOBS_MS = 200;
const JOBS = ["crm.emit_overdue_activities()", "crm.catch_up_subscriptions()", "crm.index_texts()"];

/** Starts the load. `key` is a key of the workspace; `owners` has a connection as table owner for each node. */
export function startLoad(key: string, owners: readonly Sql[]): Load {
  const [api, feed] = [serveResource(contacts), serveResource(events)];
  const load: Load = { created: [], read: [], sent: new Map(), refused: [], end };
  let ended = false;
  let cursor: string | null = null;
  const loops = [
    write("a"),
    write("b"),
    repeat(PACE_MS, read),
    repeat(PACE_MS, send),
    repeat(JOBS_MS, runJobs),
  ];
  return load;

  async function call(serve: typeof api, path: string, init: RequestInit = {}) {
    const headers = { "X-API-Key": key, "Content-Type": "application/json", ...init.headers };
    const reply = await serve(new Request(`http://localhost/${path}`, { ...init, headers }));
    const body = await reply.json();
    if (!reply.ok) load.refused.push(reply.status);
    // A client repeats the call after 409 or 503. It would treat any other status as an error.
    assert.ok([200, 201, 409, 503].includes(reply.status), `${reply.status} ${JSON.stringify(body)}`);
    return { ok: reply.ok, body };
  }

  /**
   * Writes as a client does: repeats each call with the same Idempotency-Key until the call succeeds. Every fifth call
   * is sent once more after its success.
   */
  async function write(writer: string) {
    for (let n = 1; !ended; n++) {
      const name = `${writer}-${n}`;
      const post = async () => {
        for (;;) {
          const { ok, body } = await call(api, "api-v1-contacts", {
            method: "POST",
            headers: { "Idempotency-Key": name },
            body: JSON.stringify({ name, external_id: name }),
          });
          if (ok) return body.id;
          await setTimeout(100);
        }
      };
      const id = await post();
      load.created.push(id);
      await setTimeout(PACE_MS);
      if (n % 5 === 0) assert.equal(await post(), id);
    }
  }

  async function read() {
    const { ok, body } = await call(feed, `api-v1-events?limit=100${cursor ? `&cursor=${cursor}` : ""}`);
    if (!ok) return true;
    for (const { id, event, object_id } of body.data) load.read.push({ id, event, objectId: object_id });
    cursor = body.meta.next_cursor;
    return body.data.length > 0;
  }

  async function send() {
    const claimed = await claimDeliveries(50);
    for (const { delivery_id } of claimed) load.sent.set(delivery_id, (load.sent.get(delivery_id) ?? 0) + 1);
    await setTimeout(20);
    await recordSuccess(claimed);
    return claimed.length > 0;
  }

  async function runJobs() {
    for (const sql of owners) {
      for (const job of JOBS) await sql.unsafe(`select ${job}`);
    }
  }

  async function repeat(pace: number, work: () => Promise<unknown>) {
    for (; !ended; await setTimeout(pace)) await work();
  }

  async function end() {
    if (ended) return;
    ended = true;
    await Promise.all(loops);
    for (const work of [send, read]) {
      for (let idle = 0; idle < 5; await setTimeout(PACE_MS)) idle = await work() ? 0 : idle + 1;
    }
  }
}
