import type { Subject } from "../../harness/subject.ts";
import { attackNeighbours, giveDeals, ISOLATE, openAttackWorld } from "../world.ts";

const CONNECTIONS = 4;
/** Merges that the attack may begin before it has to repeat one. */
const MERGES = 24;

/** Calls that last for seconds, by a key that the isolate knows and by keys that it does not. */
export const newKeys: Subject = {
  name: "new-keys",
  title:
    `A known key and new ones of one workspace merge contacts with thousands of deals, ${CONNECTIONS} at once`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const { keys, contactIds } = world.workspaces[1]!;
    await giveDeals(world, contactIds.slice(0, MERGES), conditions.short ? 2_000 : 10_000);
    await using server = await world.serve(ISOLATE);
    const known = await fetch(`${server.baseUrl}/api-v1-pipelines`, { headers: { "X-API-Key": keys[0]! } });
    await known.body?.cancel();
    const requests = Array.from({ length: MERGES }, (_, i) => ({
      method: "POST",
      path: `/api-v1-contacts/${contactIds[MERGES + i]}/merge`,
      headers: { "X-API-Key": keys[i % 2 === 0 ? 0 : i]! },
      body: JSON.stringify({ merge_id: contactIds[i] }),
    }));
    const order = { connections: CONNECTIONS, requests };
    return await attackNeighbours("New keys", world, server, order, conditions);
  },
};
