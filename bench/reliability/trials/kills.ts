import type { DeliveryWorld, Trial, Verdict } from "../world.ts";
import { countEnded, createSubscribers, deliveries, enqueue, shortenLeases, skipWaits } from "../queue.ts";
import { type KillPoint, type KillReport, type Stage, STAGES } from "../dispatcher.ts";
import { sum } from "../../harness/figures.ts";
import { eventually } from "../../harness/waiting.ts";

const DISPATCHERS = 4;
/** A dispatcher's places: the most attempts at a time that are not slow (webhook-dispatcher/places.ts). */
const IN_FLIGHT = 64;
const EVENTS_OF_A_WORKSPACE = 10;
/** Longer than an attempt on a busy machine, so that no delivery is sent twice without a kill. */
const SHORT_LEASE_S = 10;
const TIMEOUT_S = 900;

/** Trial 1: dispatchers are killed during a run, equally often at each stage. One event in 100 always fails. */
export const kills: Trial = {
  number: 1,
  target: "≥ 50 kill -9 over 5 stages: 0 lost, duplicates ≤ kills × 64, same ids, never a 6th attempt",
  async run(world, { short }) {
    const events = short ? 200 : 10_000;
    const { sql, receiver } = world;
    // Many hosts, because the deliveries of a killed dispatcher keep their places at a host until their leases end.
    const failingCount = Math.max(1, Math.floor(events / 100));
    const goodCount = Math.ceil((events - failingCount) / EVENTS_OF_A_WORKSPACE);
    const good = await createSubscribers(sql, receiver.urls("ok"), goodCount);
    const failing = await createSubscribers(sql, receiver.failingUrl, failingCount);
    receiver.clear();
    await enqueue(sql, good, EVENTS_OF_A_WORKSPACE);
    await enqueue(sql, failing, 1);

    const died = await deliverWhileKilling(world, good, failing, short);
    return await judge(world, [...good, ...failing], failing.length, died, short ? 1 : 10);
  },
};

/** Keeps four dispatchers running until every delivery has ended. Each gets a kill point while any are left. */
async function deliverWhileKilling(world: DeliveryWorld, good: string[], failing: string[], short: boolean) {
  const { sql, spawnDispatcher, killDispatchers } = world;
  const all = [...good, ...failing];
  let total = (await deliveries(sql, all)).length;
  const killPoints = planKillPoints(short ? 1 : 10, total);
  const wanted = killPoints.length;
  // The trial gives up at this many deliveries. The limit is high, because a dispatcher may get few of them.
  const enough = total * 10;
  const spawn = () => {
    const killPoint = killPoints.pop();
    return spawnDispatcher(killPoint ? { killPoint } : {});
  };
  const running = Array.from({ length: DISPATCHERS }, spawn);
  const died: KillReport[] = [];
  await eventually(
    async () => {
      await skipWaits(sql, failing);
      if (short) await shortenLeases(sql, SHORT_LEASE_S);
      const ended = await countEnded(sql, all);
      for (const [index, dispatcher] of running.entries()) {
        if (!dispatcher.ended()) continue;
        const words = dispatcher.killReport();
        if (!words) throw new Error("A dispatcher ended by itself");
        died.push(words);
        running[index] = spawn();
        console.log(`  ${ended} of ${total} ended, ${died.length} of ${wanted} killed: ${words.killed}`);
      }
      // Other dispatchers may empty the queue first, so add events until every kill has happened.
      if (died.length < wanted && ended > total - good.length) {
        if (total > enough) throw new Error("The dispatchers do not kill themselves");
        await enqueue(sql, good, 1);
        total += good.length;
      }
      return ended === total;
    },
    "every delivery to end",
    TIMEOUT_S,
  );
  await killDispatchers();
  return died;
}

/** Plans `each` kills at every stage in a random order, within about the first two thirds of the deliveries. */
function planKillPoints(each: number, total: number): KillPoint[] {
  const mean = (total * 2) / 3 / (each * STAGES.length);
  return STAGES
    .flatMap((stage) => Array.from({ length: each }, () => stage))
    .map((stage) => ({ stage, claimed: Math.ceil(mean * (0.2 + 1.6 * Math.random())), order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ stage, claimed }) => ({ stage, claimed }));
}

async function judge(
  { sql, receiver }: DeliveryWorld,
  all: string[],
  failingCount: number,
  died: KillReport[],
  each: number,
): Promise<Verdict> {
  const rows = await deliveries(sql, all);
  const recorded = new Map(
    (await sql<{ id: string; attempts: number; most: number }[]>`
      select delivery_id as id, count(*)::integer as attempts, max(number) as most from crm.webhook_attempts
      where workspace_id = any (${all}) group by delivery_id`).map((row) => [row.id, row]),
  );
  const lost = rows.filter(({ id, state }) => state === "pending" || !receiver.arrivals.has(id)).length;
  const ids = new Set(rows.map(({ id }) => id));
  const strangers = [...receiver.arrivals.keys()].filter((id) => !ids.has(id)).length;
  /** Requests that were not recorded as attempts. */
  const extra = (id: string) =>
    (receiver.arrivals.get(id)?.at.length ?? 0) - (recorded.get(id)?.attempts ?? 0);
  const duplicates = sum(rows.map(({ id }) => extra(id)));
  const most = Math.max(...[...recorded.values()].map((row) => row.most));
  const failed = rows.filter(({ state, attempts }) => state === "failed" && attempts === 5).length;

  const at = (stage: Stage) => died.filter(({ killed }) => killed === stage);
  const stages = STAGES.map((stage) => {
    // The delivery of a kill in TLS is not known.
    const known = at(stage).flatMap(({ delivery_id }) => delivery_id ?? []);
    const again = known.filter((id) => extra(id) > 0).length;
    return `${at(stage).length} ${stage}${known.length > 0 ? ` (${again} sent again)` : ""}`;
  });
  return {
    ok: lost === 0 && strangers === 0 && duplicates <= died.length * IN_FLIGHT && most === 5 &&
      failed === failingCount && STAGES.every((stage) => at(stage).length >= each),
    measured: `${rows.length} events, ${died.length} kills (${stages.join(", ")}): ${lost} lost, ` +
      `${duplicates} duplicates of at most ${died.length * IN_FLIGHT}, ${strangers} under another id, ` +
      `${failed} failed after ${most} attempts`,
  };
}
