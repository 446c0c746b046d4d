import type { Sql } from "postgres";
import { createKey } from "../../../run/operator/keys.ts";
import { startServer } from "../../harness/functions.ts";
import { eventually } from "../../harness/waiting.ts";
import { countArrivals } from "../arrivals.ts";
import { countDeliveries, createSubscribers } from "../queue.ts";
import { makeDay } from "../seed.ts";
import { post, type Trial } from "../world.ts";

const DAYS = 3;
/** The most deliveries in flight for a subscription, which may arrive in any order. */
const WINDOW = 4;
const HOST = 23;
const TIMEOUT_S = 900;

interface Recovered {
  count: number;
  has_more: boolean;
  next_since: string | null;
}

/** Trial 14: a receiver that was away for days gets what it missed, over HTTP. */
export const recovery: Trial = {
  number: 14,
  target:
    `recover after ${DAYS} days: 50,000 events arrive in order of occurrence to within the in-flight window (` +
    `${WINDOW}), none missing, none twice`,
  async run(world, { short }) {
    const total = short ? 300 : 50_000;
    const { sql, receiver } = world;
    const [workspaceId] = await createSubscribers(sql, receiver.url("quick", HOST), 1) as [string];
    const subscriptionId = await missEvents(sql, workspaceId, total);
    const { key } = await createKey(sql, { workspaceId, name: "Chaos", scopes: ["webhooks:manage"] });
    await using server = await startServer({ DATABASE_URL: world.functionsDatabaseUrl });
    receiver.clear();

    const call = (verb: string, body: unknown) =>
      post(`${server.baseUrl}/api-v1-webhooks/${subscriptionId}/${verb}`, key, body);
    await call("reactivate", {});
    const calls: number[] = [];
    let counted = 0;
    let since: string | null = new Date(Date.now() - (DAYS + 1) * 86_400_000).toISOString();
    while (since !== null) {
      const called = performance.now();
      const recovered: Recovered = await call("recover", { since });
      calls.push((performance.now() - called) / 1000);
      counted += recovered.count;
      since = recovered.has_more ? recovered.next_since : null;
    }
    console.log(`  ${counted} in ${calls.length} calls of ${Math.max(...calls).toFixed(2)} s at most`);

    const started = performance.now();
    world.spawnDispatcher({ silent: true });
    const ended = () => countDeliveries(sql, [workspaceId], sql`state = 'delivered'`);
    await eventually(async () => await ended() === total, "every delivery", TIMEOUT_S);
    const seconds = (performance.now() - started) / 1000;
    await world.killDispatchers();

    const expected = (await sql<{ id: string }[]>`
      select d.id from crm.webhook_deliveries d
      join crm.events e on e.workspace_id = d.workspace_id and e.id = d.event_id
      where d.workspace_id = ${workspaceId} order by e.occurred_at, e.id`).map(({ id }) => id);
    const missing = expected.filter((id) => !receiver.arrivals.has(id)).length;
    const again = countArrivals(receiver) - receiver.arrivals.size;
    const overtaken = mostOvertaken(expected, receiver.arrivals.keys());
    return {
      ok: counted === total && expected.length === total && missing === 0 && again === 0 &&
        overtaken < WINDOW,
      measured:
        `${counted} events in ${calls.length} calls of ${
          Math.max(...calls).toFixed(1)
        } s at most, arrived in ` +
        `${
          seconds.toFixed(0)
        } s: ${missing} missing, ${again} twice, at most ${overtaken} overtaken by a later one`,
    };
  },
};

/**
 * Makes a workspace's subscription inactive, and stores events of the last days that it does not get.
 * @returns the id of the subscription
 */
async function missEvents(sql: Sql, workspaceId: string, count: number): Promise<string> {
  const [{ id }] = await sql<[{ id: string }]>`
    update crm.webhook_subscriptions
    set is_active = false, deactivated_at = now() - ${DAYS} * interval '1 day', deactivated_reason = 'failures'
    where workspace_id = ${workspaceId} returning id`;
  for (let day = 1; day <= DAYS; day++) await makeDay(sql, day);
  await sql`
    with contact as (
      insert into crm.contacts (workspace_id, name, owner_id)
      select workspace_id, 'Contato', id from crm.members where workspace_id = ${workspaceId}
      returning workspace_id, id
    )
    insert into crm.events (workspace_id, id, event, object_id, facts, occurred_at)
    select c.workspace_id, crm.uuid_v7(t.at), 'contact.created', c.id, '{}', t.at
    from contact c, generate_series(1, ${count - 1}::int) n,
      lateral (select now() - ${DAYS} * interval '1 day' * n / ${count}::int as at) t`;
  return id;
}

/** Counts how many earlier events had not arrived when a later one did, at most. */
function mostOvertaken(expected: string[], arrived: Iterable<string>): number {
  const places = new Map(expected.map((id, place) => [id, place]));
  const behind = new Set<number>();
  let next = 0;
  let most = 0;
  for (const id of arrived) {
    const place = places.get(id)!;
    behind.delete(place);
    while (next <= place) {
      if (next < place) behind.add(next);
      next++;
    }
    most = Math.max(most, [...behind].filter((earlier) => earlier < place).length);
  }
  return most;
}
