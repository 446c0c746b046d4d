import type { Trial } from "../world.ts";
import { createSubscribers, enqueue } from "../queue.ts";
import { countArrivals } from "../arrivals.ts";
import { sum } from "../../harness/figures.ts";
import { eventually, pause } from "../../harness/waiting.ts";

const DISPATCHERS = 16;
/** Enough for the 64 places of each dispatcher. */
const SUBSCRIPTIONS = 256;
/** Starting a process takes longest. */
const SHORT = { dispatchers: 4, subscriptions: 64 };
/** The places of a subscription, and so the most fifth failures that it can have at the same time. */
const EACH = 4;

/** Trial 8: 16 processes record the last failures of the same subscriptions at the same time. */
export const deactivation: Trial = {
  number: 8,
  target: `Deactivation exactly once under ${DISPATCHERS} concurrent dispatchers`,
  async run({ sql, receiver, spawnDispatcher, killDispatchers }, { short }) {
    const [count, subscriptions] = short
      ? [SHORT.dispatchers, SHORT.subscriptions]
      : [DISPATCHERS, SUBSCRIPTIONS];
    const workspaces = await createSubscribers(sql, receiver.urls("failing"), subscriptions);
    receiver.clear();
    const dispatchers = Array.from({ length: count }, () => spawnDispatcher());
    await eventually(() => dispatchers.every((dispatcher) => dispatcher.ready()), `${count} dispatchers`, 60);
    await enqueue(sql, workspaces, EACH, 4);
    await eventually(
      async () => {
        const [row] = await sql<[{ left: number }]>`
        select count(*)::integer as left from crm.webhook_subscriptions s
        where workspace_id = any (${workspaces}) and (is_active or exists (
          select from crm.webhook_queue q where q.workspace_id = s.workspace_id and q.state = 'leased'))`;
        return row.left === 0;
      },
      "every subscription to be inactive, and nothing in flight",
      60,
    );
    const counted = () => dispatchers.map((dispatcher) => countDeactivated(dispatcher.output()));
    // A run logs its counts when it ends. Every subscription is inactive, so each was deactivated at least once: the sum
    // is the number of subscriptions only if none was deactivated twice.
    await eventually(() => sum(counted()) >= workspaces.length, "the runs to log their counts", 30);
    await pause(1_000);
    await killDispatchers();

    const deactivated = counted();
    const busy = deactivated.filter((count) => count > 0).length;
    return {
      ok: sum(deactivated) === workspaces.length,
      measured: `${sum(deactivated)} deactivations of ${workspaces.length} subscriptions, ` +
        `${countArrivals(receiver)} fifth failures, recorded by ${busy} of ${count} dispatchers`,
    };
  },
};

/** The deactivations that a dispatcher logged, in the lines of its runs. */
function countDeactivated(output: string): number {
  const runs = output.split("\n").filter((line) => line.includes('"event":"webhook_run"'));
  return sum(runs.map((line) => (JSON.parse(line) as { deactivated: number }).deactivated));
}
