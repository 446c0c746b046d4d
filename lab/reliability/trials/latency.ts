import type { Trial } from "../trial.ts";
import { describe, timeFirstAttempts } from "../first_attempts.ts";
import { createSubscribers, enqueue } from "../queue.ts";
import { openStack } from "../stack.ts";

const POKE_S = 2;
const SCHEDULE_S = 12;
/** With ten events a second, each key stays under its limit of 120 a minute. */
const WORKSPACES = 10;

/** Trial 6: from the change to the first attempt's arrival, on a whole stack: gateway, scheduler, its own dispatcher. */
export const latency: Trial = {
  number: 6,
  asked: `Enqueue to first attempt: p99 ≤ ${POKE_S} s with the poke, ≤ ${SCHEDULE_S} s on the schedule alone`,
  async run(world, { short }) {
    const { receiver } = world;
    const stack = await openStack(world);
    const { sql, encryptionKey } = stack;
    try {
      const busy = await createSubscribers(sql, receiver.okUrl, WORKSPACES, encryptionKey);
      const makeContact = await stack.contactMaker(busy);
      const poked = await timeFirstAttempts(sql, receiver, busy, short ? 20 : 500, makeContact);
      const withPoke = `with the poke ${describe(poked)}`;
      console.log(`  ${withPoke}`);
      // The schedule is every 10 s: too long for a short run.
      if (short) return { ok: poked.p99 <= POKE_S, measured: withPoke };

      // Written to the table, an event has no request that would poke.
      const quiet = await createSubscribers(sql, receiver.okUrl, 1, encryptionKey);
      const alone = await timeFirstAttempts(sql, receiver, quiet, 300, () => enqueue(sql, quiet, 1));
      return {
        ok: poked.p99 <= POKE_S && alone.p99 <= SCHEDULE_S,
        measured: `${withPoke}; on the schedule alone ${describe(alone)}`,
      };
    } finally {
      await stack.close();
    }
  },
};
