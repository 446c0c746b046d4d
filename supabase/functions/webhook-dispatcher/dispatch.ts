import { log } from "../_shared/runtime/log.ts";
import { pokeDispatcher } from "../_shared/webhooks/poke.ts";
import { attemptDelivery } from "./attempt_delivery.ts";
import { claimDeliveries } from "./queue.ts";

/** Maximum of simultaneous attempts in this process. `crm.delivery_claim` limits the share of each workspace. */
const MAX_IN_FLIGHT = 64;
/** Milliseconds after which a run stops claiming and starts another: Supabase ends an invocation after 150 s. */
const RUN_MS = 60_000;
/**
 * Number of deliveries after which a run stops claiming: Supabase also ends an invocation after 2 s of CPU. A delivery
 * takes 0.7 to 0.8 ms (docs/reliability.md), so a machine may be five times slower.
 */
const RUN_DELIVERIES = 500;
/** Delay before the next claim, in milliseconds. Attempts often end together, so one claim then replaces several. */
const CLAIM_DELAY_MS = 5;

let running: Promise<void> | undefined;
let poked = false;
let wake = () => {};

/**
 * Makes attempts until no delivery is due. A call during a run joins that run, which then claims again before it ends.
 * Any number of processes may do this at the same time.
 */
export function dispatch(): Promise<void> {
  poked = true;
  wake();
  running ??= run();
  return running;
}

async function run(): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  try {
    const finished = await claimUntilNothingIsDue(inFlight, performance.now() + RUN_MS);
    running = undefined;
    // The poke starts another invocation, with its own limits; this one only waits for its last attempts.
    if (!finished) await pokeDispatcher();
  } catch (error) {
    running = undefined;
    log("dispatch_failed", { error: String(error) });
  }
  await Promise.all(inFlight);
}

/** Returns true when nothing is left to claim, false when the run has reached its limit of time or of deliveries. */
async function claimUntilNothingIsDue(inFlight: Set<Promise<void>>, stopAt: number): Promise<boolean> {
  for (let started = 0; started < RUN_DELIVERIES && performance.now() < stopAt;) {
    poked = false;
    const capacity = MAX_IN_FLIGHT - inFlight.size;
    const claimed = capacity > 0 ? await claimDeliveries(capacity) : [];
    started += claimed.length;
    for (const delivery of claimed) {
      const work: Promise<void> = attemptDelivery(delivery).finally(() => inFlight.delete(work));
      inFlight.add(work);
    }
    if (inFlight.size === 0 && !poked) return true;
    if (poked && inFlight.size < MAX_IN_FLIGHT) continue;
    await Promise.race([...inFlight, new Promise<void>((resolve) => wake = resolve)]);
    await new Promise((resolve) => setTimeout(resolve, CLAIM_DELAY_MS));
  }
  return false;
}
