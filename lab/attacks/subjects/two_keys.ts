import type { Subject } from "../../harness/subject.ts";
import { attackNeighbours, type AttackWorld, ISOLATE, openAttackWorld } from "../world.ts";

const KEYS = 2;
const CALLS_EACH = 2;
/** Merges that the attack may begin before it has to repeat one. */
const MERGES = 24;

/** Calls that last for seconds, by a key that the isolate knows and one that it does not. */
export const twoKeys: Subject = {
  name: "two-keys",
  title: `${KEYS} keys of one workspace merge contacts with thousands of deals, ${CALLS_EACH} at once each`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const { keys, contactIds } = world.workspaces[1]!;
    await giveDeals(world, contactIds.slice(0, MERGES), conditions.short ? 1_000 : 10_000);
    await using server = await world.serve(ISOLATE);
    const known = await fetch(`${server.baseUrl}/api-v1-pipelines`, { headers: { "X-API-Key": keys[0]! } });
    await known.body?.cancel();
    const requests = Array.from({ length: MERGES }, (_, i) => ({
      method: "POST",
      path: `/api-v1-contacts/${contactIds[MERGES + i]}/merge`,
      headers: { "X-API-Key": keys[i % KEYS]! },
      body: JSON.stringify({ merge_id: contactIds[i] }),
    }));
    const order = { connections: KEYS * CALLS_EACH, requests };
    return await attackNeighbours("Two keys", world, server, order, conditions);
  },
};

async function giveDeals(
  { sql, workspaces }: AttackWorld,
  contactIds: string[],
  each: number,
): Promise<void> {
  const { id } = workspaces[1]!;
  await sql`alter table crm.deals disable trigger user`;
  await sql`
    insert into crm.deals (workspace_id, title, value, contact_id, owner_id, pipeline_id, stage_id)
    select d.workspace_id, d.title, 1500, c.id, d.owner_id, d.pipeline_id, d.stage_id
    from (select * from crm.deals where workspace_id = ${id} limit 1) d,
      unnest(${contactIds}::uuid[]) c (id), generate_series(1, ${each}::int)`;
  await sql`alter table crm.deals enable trigger user`;
  await sql`vacuum analyze crm.deals`;
}
