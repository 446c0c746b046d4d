import type { Figure } from "../figure.ts";
import { enqueue, subscribe } from "../queue.ts";
import { pause, until } from "../wait.ts";

const DISPATCHERS = 16;
/** As many as give each dispatcher, with its 64 places, a share. */
const SUBSCRIPTIONS = 256;
/** All places of a subscription: as many fifth failures of it at the same time as there can be. */
const EACH = 4;

/** Figure 8: the last failures of the same subscriptions, recorded by 16 processes at the same time. */
export const deactivation: Figure = {
  number: 8,
  asked: `Deactivation exactly once under ${DISPATCHERS} concurrent dispatchers`,
  async run({ sql, receiver, spawnDispatcher, killDispatchers }) {
    const workspaces = await subscribe(sql, receiver.failingUrl, SUBSCRIPTIONS);
    receiver.clear();
    const dispatchers = Array.from({ length: DISPATCHERS }, () => spawnDispatcher());
    await until("16 dispatchers", 60, () => dispatchers.every((dispatcher) => dispatcher.ready()));
    await enqueue(sql, workspaces, EACH, 4);
    await until("every subscription to be inactive, and nothing in flight", 60, async () => {
      const [row] = await sql<[{ left: number }]>`
        select count(*)::integer as left from crm.webhook_subscriptions s
        where workspace_id = any (${workspaces}) and (is_active or exists (
          select from crm.webhook_deliveries d
          where d.workspace_id = s.workspace_id and d.lease_until is not null))`;
      return row.left === 0;
    });
    // The outcome is logged just after it is recorded.
    await pause(500);
    await killDispatchers();

    const logs = dispatchers.map((dispatcher) => dispatcher.output().split("\n"));
    const busy = logs.filter((lines) => lines.some((line) => line.includes("webhook_attempt"))).length;
    const times = new Map<string, number>();
    for (const line of logs.flat().filter((line) => line.includes('"deactivated":true'))) {
      const { workspace_id } = JSON.parse(line);
      times.set(workspace_id, (times.get(workspace_id) ?? 0) + 1);
    }
    const once = workspaces.filter((id) => times.get(id) === 1).length;
    const fifths = [...receiver.arrivals.values()].reduce((sum, { at }) => sum + at.length, 0);
    return {
      ok: once === workspaces.length,
      measured: `exactly once for ${once} of ${workspaces.length} subscriptions, ${fifths} fifth failures ` +
        `recorded by ${busy} of ${DISPATCHERS} dispatchers`,
    };
  },
};
