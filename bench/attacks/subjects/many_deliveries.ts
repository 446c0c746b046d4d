import type { Subject } from "../../harness/subject.ts";
import { attackNeighbours, ISOLATE, openAttackWorld } from "../world.ts";

const SUBSCRIPTIONS = 50;
const ITEMS = 100;
const KEYS = 2;

/** Batches of creations, each of which a workspace with as many subscriptions as it may have is told of. */
export const manyDeliveries: Subject = {
  name: "many-deliveries",
  title: `${KEYS} keys create contacts, ${ITEMS} in each batch, for ${SUBSCRIPTIONS} subscriptions`,
  async measure(conditions) {
    await using world = await openAttackWorld();
    const { id, keys } = world.workspaces[1]!;
    await world.sql`
      with made as (
        insert into crm.webhook_subscriptions (workspace_id, event_types, target_url)
        select ${id}, '{contact.created}', 'https://' || n || '.invalid/' from generate_series(1, ${SUBSCRIPTIONS}::int) n
        returning workspace_id, id
      )
      insert into crm.webhook_secrets (workspace_id, subscription_id, secret) select workspace_id, id, '' from made`;
    await using server = await world.serve(ISOLATE);
    const items = Array.from({ length: ITEMS }, (_, i) => ({ op: "create", data: { name: `Ana ${i}` } }));
    const requests = keys.slice(0, KEYS).map((key) => ({
      method: "POST",
      path: "/api-v1-contacts/batch",
      headers: { "X-API-Key": key },
      body: JSON.stringify({ items }),
    }));
    const order = { connections: KEYS * 2, requests };
    return await attackNeighbours("Many deliveries", world, server, order, conditions);
  },
};
