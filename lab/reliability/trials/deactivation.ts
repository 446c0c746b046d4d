import type { Trial } from "../trial.ts";
import { createSubscribers, enqueue } from "../queue.ts";
import { countArrivals } from "../arrivals.ts";
import { eventually, pause } from "../../harness/waiting.ts";

const DISPATCHERS = 16;
/** Enough for the 64 places of each dispatcher. */
const SUBSCRIPTIONS = 256;
/** The places of a subscription, and so the most fifth failures that it can have at the same time. */
const EACH = 4;

/** Trial 8: 16 processes record the last failures of the same subscriptions at the same time. */
export const deactivation: Trial = {
  number: 8,
  target: `Deactivation exactly once under ${DISPATCHERS} concurrent dispatchers`,
  async run({ sql, receiver, spawnDispatcher, killDispatchers }) {
    const workspaces = await createSubscribers(sql, receiver.failingUrl, SUBSCRIPTIONS);
    receiver.clear();
    const dispatchers = Array.from({ length: DISPATCHERS }, () => spawnDispatcher());
    await eventually(() => dispatchers.every((dispatcher) => dispatcher.ready()), "16 dispatchers", 60);
    await enqueue(sql, workspaces, EACH, 4);
    await eventually(
      async () => {
        const [row] = await sql<[{ left: number }]>`
        select count(*)::integer as left from crm.webhook_subscriptions s
        where workspace_id = any (${workspaces}) and (is_active or exists (
          select from crm.webhook_deliveries d
          where d.workspace_id = s.workspace_id and d.lease_until is not null))`;
        return row.left === 0;
      },
      "every subscription to be inactive, and nothing in flight",
      60,
    );
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
    return {
      ok: once === workspaces.length,
      measured:
        `exactly once for ${once} of ${workspaces.length} subscriptions, ${
          countArrivals(receiver)
        } fifth failures ` +
        `recorded by ${busy} of ${DISPATCHERS} dispatchers`,
    };
  },
};
