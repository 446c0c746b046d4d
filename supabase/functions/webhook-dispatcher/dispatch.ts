import { log } from "../_shared/runtime/log.ts";
import { pokeDispatcher } from "../_shared/webhooks/poke.ts";
import { attemptDelivery } from "./attempt_delivery.ts";
import { claimDeliveries, nextDeliveryDue } from "./queue.ts";
import { RunLog } from "./run_log.ts";

/** Maximum of simultaneous attempts in this process. `crm.delivery_claim` limits the share of each workspace. */
const MAX_IN_FLIGHT = 64;
/** Milliseconds after which a run stops claiming and starts another: Supabase ends an invocation after 150 s. */
const RUN_MS = 60_000;
/**
 * Number of deliveries after which a run starts another: Supabase retires an isolate after 1 s of CPU and ends it after
 * 2 s. A delivery takes 0.7 to 0.8 ms (docs/reliability.md), so a machine may be five times slower.
 */
const RUN_DELIVERIES = 250;
/**
 * A run that has nothing to do stays, without using CPU, for a delivery that becomes due within this many milliseconds:
 * the second attempt follows 30 s after the first (spec 6.5). For later attempts the schedule wakes a run in time.
 */
const STAY_MS = 40_000;
/** Deliveries that failed together are due within a moment of each other, so one claim takes them together. */
const MIN_STAY_MS = 100;
/** While attempts are under way, another delivery may become due: the run claims at least this often. */
const BUSY_CLAIM_MS = 500;
/** Delay before the next claim, in milliseconds. Attempts often end together, so one claim then replaces several. */
const CLAIM_DELAY_MS = 5;

let running: Promise<void> | undefined;
let poked = false;
let wake = () => {};

/**
 * Makes attempts until no delivery is due now or soon. A call during a run joins that run, which then claims again
 * before it ends. Any number of processes may do this at the same time. It never rejects.
 *
 * @param stayMs Milliseconds for which a new run stays for the next delivery; 0: it ends when nothing is due
 */
export async function dispatch(stayMs = STAY_MS): Promise<void> {
  poked = true;
  wake();
  running ??= run(stayMs);
  await running;
}

async function run(stayMs: number): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const runLog = new RunLog();
  try {
    const finished = await claimUntilNothingIsDue(inFlight, runLog, stayMs);
    running = undefined;
    // The poke starts another invocation, with its own limits; this one only waits for its last attempts.
    if (!finished) await pokeDispatcher();
  } catch (error) {
    running = undefined;
    log("dispatch_failed", { error: String(error) });
  }
  await Promise.all(inFlight);
  runLog.logRun();
}

/**
 * Returns true when nothing is left to claim now or within `stayMs`, false when the run has reached its limit of time or
 * of deliveries, or would reach it before the next delivery is due.
 */
async function claimUntilNothingIsDue(
  inFlight: Set<Promise<void>>,
  runLog: RunLog,
  stayMs: number,
): Promise<boolean> {
  const stopAt = performance.now() + RUN_MS;
  for (let left = RUN_DELIVERIES; left > 0 && performance.now() < stopAt;) {
    poked = false;
    const capacity = Math.min(MAX_IN_FLIGHT - inFlight.size, left);
    const claimed = capacity > 0 ? await claimDeliveries(capacity) : [];
    left -= claimed.length;
    runLog.addClaimed(claimed.length);
    for (const delivery of claimed) {
      const work: Promise<void> = attemptDelivery(delivery).then((result) => {
        inFlight.delete(work);
        runLog.addResult(delivery, result);
      });
      inFlight.add(work);
    }
    if (inFlight.size > 0) {
      await pokedWithin(BUSY_CLAIM_MS, inFlight);
      await new Promise((resolve) => setTimeout(resolve, CLAIM_DELAY_MS));
      continue;
    }
    const dueIn = await nextDeliveryDue(stayMs);
    if (poked) continue;
    if (dueIn === null) return true;
    if (performance.now() + dueIn >= stopAt) return false;
    await pokedWithin(Math.max(Math.ceil(dueIn), MIN_STAY_MS));
  }
  return false;
}

/** Waits until a call joins this run, one of `inFlight` ends, or `ms` have passed. */
async function pokedWithin(ms: number, inFlight: Iterable<Promise<void>> = []): Promise<void> {
  if (poked) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([woken, ...inFlight]);
  clearTimeout(timer);
}
