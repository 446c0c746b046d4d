import { enqueue } from "../queue.ts";
import { openStack } from "../stack.ts";
import type { Trial } from "../world.ts";

const POKE_S = 2;
const SCHEDULE_S = 12;
/** With ten events a second, each key stays under its limit of 120 a minute. */
const WORKSPACES = 10;

/** Trial 6: from the change to the arrival of the first attempt, on a whole stack. */
export const latency: Trial = {
  number: 6,
  target:
    `Enqueue to first attempt: p99 ≤ ${POKE_S} s with the poke, ≤ ${SCHEDULE_S} s on the schedule alone`,
  timed: true,
  async run(world, { short }) {
    await using stack = await openStack(world);
    const { okUrl } = world.receiver;
    const busy = await stack.createSubscribers(okUrl, WORKSPACES);
    const makeContact = await stack.contactMaker(busy);
    const poked = await stack.timeFirstAttempts(busy, short ? 20 : 500, makeContact);
    const withPoke = `with the poke ${poked.text}`;
    console.log(`  ${withPoke}`);
    // The schedule runs every 10 s, too seldom for a short run.
    if (short) return { ok: poked.p99 <= POKE_S, measured: withPoke };

    // Contacts inserted by SQL have no request that pokes.
    const quiet = await stack.createSubscribers(okUrl, 1);
    const alone = await stack.timeFirstAttempts(quiet, 300, () => enqueue(stack.sql, quiet, 1));
    return {
      ok: poked.p99 <= POKE_S && alone.p99 <= SCHEDULE_S,
      measured: `${withPoke}; on the schedule alone ${alone.text}`,
    };
  },
};
