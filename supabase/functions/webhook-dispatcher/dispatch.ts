import { log } from "../_shared/runtime/log.ts";
import { pokeDispatcher } from "../_shared/webhooks/poke.ts";
import { attempt } from "./attempt.ts";
import { claimDeliveries } from "./queue.ts";

/** Attempts at the same time in this process. The fair share of each workspace is the database's to keep. */
const MAX_IN_FLIGHT = 64;
/** A run claims for so long, then hands over: Supabase ends an invocation after 150 s, … */
const RUN_MS = 60_000;
/** … or 2 s of CPU. 0.7 to 0.8 ms for each delivery were measured (docs/reliability.md): room for a machine five times slower. */
const RUN_DELIVERIES = 500;
/** Attempts come to their end in bunches: waiting a moment lets one claim refill all of their places. */
const GATHER_MS = 5;

let running: Promise<void> | undefined;
let poked = false;
let wake = () => {};

/**
 * Delivers until nothing is due. A poke during a run joins it: the run looks again before it ends. Any number of
 * processes may run at once.
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
    // Another invocation with its own limits; this one only sees its last attempts through.
    if (!finished) await pokeDispatcher();
  } catch (error) {
    running = undefined;
    log("dispatch_failed", { error: String(error) });
  }
  await Promise.all(inFlight);
}

/** True when nothing is left to claim, false when the run has used up its time or its deliveries. */
async function claimUntilNothingIsDue(inFlight: Set<Promise<void>>, stopAt: number): Promise<boolean> {
  for (let started = 0; started < RUN_DELIVERIES && performance.now() < stopAt;) {
    poked = false;
    const room = MAX_IN_FLIGHT - inFlight.size;
    const claimed = room > 0 ? await claimDeliveries(room) : [];
    started += claimed.length;
    for (const delivery of claimed) {
      const work: Promise<void> = attempt(delivery).finally(() => inFlight.delete(work));
      inFlight.add(work);
    }
    if (inFlight.size === 0 && !poked) return true;
    if (poked && inFlight.size < MAX_IN_FLIGHT) continue;
    await Promise.race([...inFlight, new Promise<void>((resolve) => wake = resolve)]);
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
  }
  return false;
}
