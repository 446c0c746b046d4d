import { eventually } from "../../harness/waiting.ts";
import { countDeliveries, countLeased, enqueue } from "../queue.ts";
import { openStack } from "../stack.ts";
import type { DeliveryWorld, Sizes, Trial, Verdict } from "../world.ts";

const ALLOWED_S = 1;
/** With ten events a second, each key stays under its limit of 120 a minute. */
const OTHERS = 10;
/** The places of a workspace, all of which a hanging one fills at first. */
const PLACES = 8;
/** Two subscriptions: the 4 places of one are only half of those of a workspace. */
const EACH = 2;
/** The hosts of trial 12, whose workspaces have one each. */
const HOSTS = 20;

/** Trial 5: how a workspace whose receiver hangs slows the others. Each attempt at it takes 10 s. */
export const hanging: Trial = {
  number: 5,
  target:
    `A workspace with 5,000 deliveries to a receiver that hangs: the others' p99 grows by ≤ ${ALLOWED_S} s`,
  timed: true,
  run: (world, sizes) => runBeside(world, sizes, [world.receiver.hangingUrl], sizes.short ? 200 : 5_000),
};

/** Trial 12: the same with many hosts that hang, none of them that of the others. */
export const hangingHosts: Trial = {
  number: 12,
  target: `${HOSTS} workspaces whose receivers hang: the others' p99 grows by ≤ ${ALLOWED_S} s`,
  timed: true,
  run(world, sizes) {
    const urls = world.receiver.urls("hanging").slice(1, 1 + HOSTS);
    return runBeside(world, sizes, urls, sizes.short ? 40 : 250);
  },
};

/**
 * Times the first attempts of some workspaces, alone and beside those that hang.
 * @param urls that hang, each of a workspace of its own
 * @param waiting deliveries of each of them
 */
async function runBeside(
  world: DeliveryWorld,
  { short }: Sizes,
  urls: string[],
  waiting: number,
): Promise<Verdict> {
  const events = short ? 30 : 600;
  await using stack = await openStack(world);
  const { sql } = stack;
  const others = await stack.createSubscribers(world.receiver.okUrl, OTHERS);
  const makeContact = await stack.contactMaker(others);
  // The first requests of a new stack are slow, so they do not count.
  await stack.timeFirstAttempts(others, OTHERS, makeContact);
  const before = await stack.timeFirstAttempts(others, events, makeContact);
  console.log(`  alone: ${before.text}`);

  const hung = await stack.createSubscribers(urls, urls.length, EACH);
  await enqueue(sql, hung, waiting / EACH);
  const inFlight = async (least: number) => await countLeased(sql, hung) >= least;
  await eventually(() => inFlight(PLACES * hung.length), "the hanging workspaces to fill their places", 30);
  const beside = await stack.timeFirstAttempts(others, events, makeContact);
  console.log(`  beside them: ${beside.text}`);

  // If the deliveries do not hang any more, the second measurement was not valid. After a timeout a subscription has one
  // place.
  await eventually(() => inFlight(EACH * hung.length), "their places to be full again", 15);
  const due = sql`state = 'pending' and next_attempt_at <= clock_timestamp()`;
  const left = await countDeliveries(sql, hung, due);
  const growth = beside.p99 - before.p99;
  const deliveries = waiting * hung.length;
  return {
    ok: growth <= ALLOWED_S && left > deliveries / 2,
    measured: `p99 grows by ${growth.toFixed(3)} s: alone ${before.text}, beside ${deliveries} ` +
      `deliveries that hang ${beside.text}`,
  };
}
