import { eventually } from "../../harness/waiting.ts";
import { countDeliveries, enqueue } from "../queue.ts";
import { openStack } from "../stack.ts";
import type { Trial } from "../world.ts";

const ALLOWED_S = 1;
/** With ten events a second, each key stays under its limit of 120 a minute. */
const OTHERS = 10;
/** The places of a workspace, all of which the hanging one fills. */
const PLACES = 8;

/** Trial 5: how a workspace whose receiver hangs slows the others. Each attempt at it takes 10 s. */
export const hanging: Trial = {
  number: 5,
  target:
    `A workspace with 5,000 deliveries to a receiver that hangs: the others' p99 grows by ≤ ${ALLOWED_S} s`,
  timed: true,
  async run(world, { short }) {
    const { receiver } = world;
    const [events, waiting] = short ? [30, 200] : [600, 5_000];
    await using stack = await openStack(world);
    const { sql } = stack;
    const others = await stack.createSubscribers(receiver.okUrl, OTHERS);
    const makeContact = await stack.contactMaker(others);
    // The first requests of a new stack are slow, so they do not count.
    await stack.timeFirstAttempts(others, OTHERS, makeContact);
    const before = await stack.timeFirstAttempts(others, events, makeContact);
    console.log(`  alone: ${before.text}`);

    // Two subscriptions: the 4 places of one are only half of those of a workspace.
    const hung = await stack.createSubscribers(receiver.hangingUrl, 1, 2);
    await enqueue(sql, hung, waiting / 2);
    const isFull = async () =>
      await countDeliveries(sql, hung, sql`lease_until > clock_timestamp()`) >= PLACES;
    await eventually(isFull, "the hanging workspace to fill its places", 30);
    const beside = await stack.timeFirstAttempts(others, events, makeContact);
    console.log(`  beside it: ${beside.text}`);

    // If the deliveries do not hang any more, the second measurement was not valid.
    await eventually(isFull, "its places to be full again", 5);
    const due = sql`state = 'pending' and next_attempt_at <= clock_timestamp()`;
    const left = await countDeliveries(sql, hung, due);
    const growth = beside.p99 - before.p99;
    return {
      ok: growth <= ALLOWED_S && left > waiting / 2,
      measured: `p99 grows by ${growth.toFixed(3)} s: alone ${before.text}, beside ${waiting} ` +
        `deliveries that hang ${beside.text}`,
    };
  },
};
