import { createKey } from "../../../run/operator/keys.ts";
import { startServer } from "../../harness/functions.ts";
import { eventually } from "../../harness/waiting.ts";
import { post } from "../../performance/load/requests.ts";
import { sendOnce } from "../../performance/load/template.ts";
import { countArrivals } from "../arrivals.ts";
import { countDeliveries, createSubscribers } from "../queue.ts";
import type { Trial } from "../world.ts";

const LIMIT = 64;
/** Each workspace has 8 places, so without the host's limit 160 deliveries would be in flight. */
const WORKSPACES = 20;
const SHORT_WORKSPACES = 12;
const SUBSCRIPTIONS = 50;
/** Each dispatcher has 64 places. */
const DISPATCHERS = 3;
/** A host that no other trial uses. */
const HOST = 22;

/** Trial 13: many workspaces have many subscriptions to the same host. */
export const oneHost: Trial = {
  number: 13,
  target:
    `40 leads with ${SUBSCRIPTIONS} subscriptions to one host: never more than ${LIMIT} in flight there, all delivered`,
  async run(world, { short }) {
    const { sql, receiver } = world;
    const url = receiver.url("slow", HOST);
    const count = short ? SHORT_WORKSPACES : WORKSPACES;
    const workspaces = await createSubscribers(sql, url, count, { each: SUBSCRIPTIONS });
    const leads = count * (short ? 1 : 2);
    const total = leads * SUBSCRIPTIONS;
    receiver.clear();
    await using server = await startServer({ DATABASE_URL: world.functionsDatabaseUrl });
    for (const workspaceId of workspaces) {
      const { key } = await createKey(sql, { workspaceId, name: "Chaos", scopes: ["leads:write"] });
      for (let sent = 0; sent < leads / count; sent++) {
        await sendOnce(server.baseUrl, post("/api-v1-leads", { first_name: "Ana" }, key));
      }
    }
    // Dispatchers start when all deliveries are queued, so that the limit is reached on a busy machine too.
    const started = performance.now();
    for (let spawned = 0; spawned < DISPATCHERS; spawned++) world.spawnDispatcher({ silent: true });
    const delivered = () => countDeliveries(sql, workspaces, sql`state = 'delivered'`);
    await eventually(async () => await delivered() === total, "every delivery", 300);
    const seconds = (performance.now() - started) / 1000;
    const most = receiver.mostInFlight(url);
    const requests = countArrivals(receiver);
    return {
      // If far fewer were in flight, the trial would say nothing about the limit.
      ok: most <= LIMIT && most > LIMIT / 2 && requests === total,
      measured: `${leads} leads of ${count} workspaces: at most ${most} in flight, ${await delivered()} of ` +
        `${total} delivered by ${requests} requests in ${seconds.toFixed(0)} s`,
    };
  },
};
