import { eventually } from "../../harness/waiting.ts";
import { countDeliveries, countLeased, enqueue } from "../queue.ts";
import { openStack } from "../stack.ts";
import type { DeliveryWorld, Sizes, Trial, Verdict } from "../world.ts";

const POKE_S = 2;
const SCHEDULE_S = 12;
const ALLOWED_GROWTH_S = 1;
/** With ten events a second, each key stays under its limit of 120 a minute. */
const WORKSPACES = 10;
/** The places of a workspace, all of which a hanging one fills at first. */
const PLACES = 8;
/** Two subscriptions, because the 4 places of one are only half of those of a workspace. */
const EACH = 2;
/** The hosts of trial 12, whose workspaces have one each. */
const HOSTS = 20;

/** Trial 6: from the change to the arrival of the first attempt, on a whole stack. */
export const latency: Trial = {
  number: 6,
  target:
    `Enqueue to first attempt: p99 ≤ ${POKE_S} s with the poke, ≤ ${SCHEDULE_S} s on the schedule alone`,
  timed: true,
  apart: true,
  async run(world, sizes) {
    const { stack, time } = await prepare(world, sizes);
    const poked = await time();
    const withPoke = `with the poke ${poked.text}`;
    // The schedule runs every 10 s, too seldom for a short run.
    if (sizes.short) return { ok: poked.p99 <= POKE_S, measured: withPoke };

    // Contacts inserted by SQL have no request that pokes.
    const quiet = await stack.createSubscribers(world.receiver.okUrl, 1);
    const scheduled = await stack.timeFirstAttempts(quiet, 300, () => enqueue(stack.sql, quiet, 1));
    return {
      ok: poked.p99 <= POKE_S && scheduled.p99 <= SCHEDULE_S,
      measured: `${withPoke}; on the schedule alone ${scheduled.text}`,
    };
  },
};

/** Trial 5: how a workspace whose receiver hangs slows the others. Each attempt at that receiver takes 10 s. */
export const hanging: Trial = {
  number: 5,
  target:
    `A workspace with 5,000 deliveries to a receiver that hangs: the others' p99 grows by ≤ ${ALLOWED_GROWTH_S} s`,
  timed: true,
  apart: true,
  run: (world, sizes) => runBeside(world, sizes, [world.receiver.hangingUrl], sizes.short ? 200 : 5_000),
};

/** Trial 12: the same with many hosts that hang, none of them that of the others. */
export const hangingHosts: Trial = {
  number: 12,
  target: `${HOSTS} workspaces whose receivers hang: the others' p99 grows by ≤ ${ALLOWED_GROWTH_S} s`,
  timed: true,
  apart: true,
  run(world, sizes) {
    const urls = world.receiver.urls("hanging").slice(1, 1 + HOSTS);
    return runBeside(world, sizes, urls, sizes.short ? 40 : 250);
  },
};

/**
 * Times the first attempts of some workspaces beside others that hang.
 * @param urls that hang, each of a workspace of its own
 * @param waiting deliveries of each of them
 */
async function runBeside(
  world: DeliveryWorld,
  sizes: Sizes,
  urls: string[],
  waiting: number,
): Promise<Verdict> {
  const { stack, alone, time } = await prepare(world, sizes);
  const { sql } = stack;
  const hung = await stack.createSubscribers(urls, urls.length, EACH);
  await enqueue(sql, hung, waiting / EACH);
  const inFlight = async (least: number) => await countLeased(sql, hung) >= least;
  await eventually(() => inFlight(PLACES * hung.length), "the hanging workspaces to fill their places");
  const beside = await time();
  console.log(`  beside them: ${beside.text}`);

  // The second measurement is valid only if the deliveries still hang. After a timeout a subscription has one place.
  await eventually(() => inFlight(EACH * hung.length), "their places to be full again");
  const due = sql`state = 'pending' and next_attempt_at <= clock_timestamp()`;
  const left = await countDeliveries(sql, hung, due);
  await sql`update crm.webhook_subscriptions set is_active = false where workspace_id = any (${hung})`;
  const growth = beside.p99 - alone.p99;
  const deliveries = waiting * hung.length;
  return {
    ok: growth <= ALLOWED_GROWTH_S && left > deliveries / 2,
    measured: `p99 grows by ${growth.toFixed(3)} s: alone ${alone.text}, beside ${deliveries} ` +
      `deliveries that hang ${beside.text}`,
  };
}

type Prepared = Awaited<ReturnType<typeof startPrepared>>;
let prepared: Promise<Prepared> | undefined;

/** The stack that the three trials share, with the times of first attempts when nothing else happens. */
function prepare(world: DeliveryWorld, sizes: Sizes): Promise<Prepared> {
  return prepared ??= startPrepared(world, sizes);
}

async function startPrepared(world: DeliveryWorld, { short }: Sizes) {
  const stack = await openStack(world);
  world.closing.push(() => stack[Symbol.asyncDispose]());
  const others = await stack.createSubscribers(world.receiver.okUrl, WORKSPACES);
  const makeContact = await stack.contactMaker(others);
  const time = (events = short ? 30 : 600) => stack.timeFirstAttempts(others, events, makeContact);
  // The first requests of a new stack are slow, so they do not count.
  await time(WORKSPACES);
  const alone = await time();
  console.log(`  alone: ${alone.text}`);
  return { stack, alone, time };
}
