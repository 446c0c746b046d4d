import type { DeliveryWorld, Trial } from "../world.ts";
import { countEnded, createSubscribers, deliveries, enqueue, shortenLeases } from "../queue.ts";
import { countArrivals } from "../arrivals.ts";
import { eventually, pause } from "../../harness/waiting.ts";

const DISPATCHERS = 4;
const ALLOWED_S = 70;
const LEASE_S = 60;
const SHORT_LEASE_S = 3;
/** Longer than the 6 s for which a dispatcher tries to record an outcome (webhook-dispatcher/attempt_delivery.ts). */
const LONG_S = 20;
const OUTAGES_S = [0, LONG_S, 0, LONG_S, 0];
const SHORT_OUTAGES_S = [0];
/** If no delivery is in flight at the crash, the outage is repeated: at most this many tries in all. */
const MAX_TRIES = 5;
/** New events of a workspace before each outage. Postgres crashes when a quarter has ended, so some are in flight. */
const EVENTS_OF_A_WORKSPACE = 20;

/** A recovery; its times are in seconds since the restart. */
interface Recovery {
  goingAgain: number;
  /** The number of deliveries in flight at the crash. */
  inFlight: number;
  /** When the last delivery in flight at the crash ended. */
  inFlightEnded: number;
}

/** Trial 2: Postgres crashes while deliveries are under way. */
export const outages: Trial = {
  number: 2,
  target: `Postgres stopped with \`immediate\` 5 times: 0 lost, sending again within ${ALLOWED_S} s`,
  async run(world, { short }) {
    const { receiver, spawnDispatcher, killDispatchers } = world;
    const seconds = short ? SHORT_OUTAGES_S : OUTAGES_S;
    const all = await createSubscribers(world.sql, receiver.urls("ok"), short ? 60 : 300);
    receiver.clear();
    const dispatchers = Array.from({ length: DISPATCHERS }, () => spawnDispatcher());

    const worst: Recovery = { goingAgain: 0, inFlight: 0, inFlightEnded: 0 };
    let total = 0;
    const haveEnded = (count: number, what: string, seconds: number) =>
      eventually(async () => await countEnded(world.sql, all) >= count, what, seconds);
    for (const away of seconds) {
      let recovery: Recovery;
      let tries = 0;
      do {
        await enqueue(world.sql, all, EVENTS_OF_A_WORKSPACE);
        await haveEnded(total + all.length * EVENTS_OF_A_WORKSPACE / 4, "deliveries to be under way", 60);
        recovery = await recover(world, all, away, short);
        total += all.length * (EVENTS_OF_A_WORKSPACE + 1);
        console.log(`  away for ${away} s: ${describe(recovery)}`);
        // On a busy machine the deliveries may all have ended before the crash, which then proves nothing.
      } while (recovery.inFlight === 0 && ++tries < MAX_TRIES);
      for (const name of Object.keys(worst) as (keyof Recovery)[]) {
        worst[name] = Math.max(worst[name], recovery[name]);
      }
    }
    await haveEnded(total, "every delivery to end", 120);
    const survivors = dispatchers.filter((dispatcher) => !dispatcher.ended()).length;
    await killDispatchers();

    const rows = await deliveries(world.sql, all);
    const lost = rows.filter(({ id, state }) => state !== "delivered" || !receiver.arrivals.has(id)).length;
    return {
      ok: lost === 0 && rows.length === total && survivors === DISPATCHERS && worst.inFlight > 0 &&
        Math.max(worst.goingAgain, worst.inFlightEnded) <= ALLOWED_S,
      measured: `${total} events, away for ${seconds.join(", ")} s: ${lost} lost, ` +
        `${countArrivals(receiver) - total} duplicates; slowest: ${describe(worst)}; ` +
        `${DISPATCHERS - survivors} dispatchers ended`,
    };
  },
};

function describe({ goingAgain, inFlight, inFlightEnded }: Recovery): string {
  return `sending again after ${goingAgain.toFixed(1)} s, the ${inFlight} in flight at the crash ended ` +
    `after ${inFlightEnded.toFixed(1)} s`;
}

/**
 * Crashes Postgres, restarts it after `awaySeconds`, and creates one event in each workspace. Waits until the
 * deliveries that were in flight at the crash have ended.
 */
async function recover(
  world: DeliveryWorld,
  all: string[],
  awaySeconds: number,
  short: boolean,
): Promise<Recovery> {
  await world.crashPostgres();
  const crashed = new Date();
  await pause(awaySeconds * 1000);
  await world.restartPostgres();
  const restarted = new Date();
  const { sql } = world;
  // Deliveries that were claimed before the crash, and whose outcome was not recorded.
  const rows = await sql<{ id: string }[]>`
    select delivery_id as id from crm.webhook_queue
    where workspace_id = any (${all}) and state = 'leased' and lease_until <= ${crashed} + ${LEASE_S} * interval '1 s'`;
  const inFlight = rows.map(({ id }) => id);
  await enqueue(sql, all, 1);

  let goingAgain: number | undefined;
  const since = () => (Date.now() - restarted.getTime()) / 1000;
  const inFlightEnded = await eventually(
    async () => {
      if (short) await shortenLeases(sql, SHORT_LEASE_S);
      // Look for a recorded attempt: a request that reached the receiver may have been sent during the outage.
      const [row] = await sql<[{ recorded: boolean; left: number }]>`
      select
        exists (
          select from crm.webhook_attempts where workspace_id = any (${all}) and finished_at > ${restarted}
        ) as recorded,
        (
          select count(*)::integer from crm.webhook_deliveries where id = any (${inFlight}) and state = 'pending'
        ) as left`;
      if (row.recorded) goingAgain ??= since();
      return goingAgain !== undefined && row.left === 0 && since();
    },
    "what had been in flight to end",
    120,
  );
  return { goingAgain: goingAgain!, inFlight: inFlight.length, inFlightEnded };
}
