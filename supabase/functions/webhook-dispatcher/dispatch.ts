import { log } from "../_shared/runtime/log.ts";
import { pokeDispatcher } from "../_shared/webhooks/poke.ts";
import { attemptDelivery } from "./attempt_delivery.ts";
import { KeptConnections } from "./kept_connections.ts";
import { Places } from "./places.ts";
import { claimDeliveries, type ClaimedDelivery, nextDeliveryDue } from "./queue.ts";
import { RunLog } from "./run_log.ts";

/** Milliseconds after which a run stops claiming and starts another: Supabase ends an invocation after 150 s. */
const RUN_MS = 60_000;
/**
 * Number of deliveries after which a run starts another: Supabase retires an isolate after 1 s of CPU and ends it after
 * 2 s. A delivery takes 0.3 to 0.5 ms (docs/decisions/0008-queue.md), so a machine may be eight times slower.
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
/**
 * The same while more deliveries wait than there are places. A claim costs Postgres some 2 ms, however few it finds, and
 * a delivery that waits for a place does not notice this delay.
 */
const FULL_CLAIM_DELAY_MS = 15;

// Of the whole process: a run that has handed over still waits for its last attempts while the next one claims.
const places = new Places();
const kept = new KeptConnections();
let unfinishedRuns = 0;

let running: Promise<void> | undefined;
/** Whether a claim may find what the last one did not: since then a call has joined the run, or an attempt has ended. */
let changed = false;
let wake = () => {};

/**
 * Makes attempts until no delivery is due now or soon. A call during a run joins that run, which then claims again
 * before it ends. Any number of processes may do this at the same time. It never rejects.
 *
 * @param stayMs Milliseconds for which a new run stays for the next delivery; 0: it ends when nothing is due
 */
export async function dispatch(stayMs = STAY_MS): Promise<void> {
  claimAgain();
  running ??= run(stayMs);
  await running;
}

function claimAgain(): void {
  changed = true;
  wake();
}

async function run(stayMs: number): Promise<void> {
  const attempts = new Set<Promise<void>>();
  const runLog = new RunLog();
  unfinishedRuns++;
  try {
    const finished = await claimUntilNothingIsDue(attempts, runLog, stayMs);
    running = undefined;
    // The poke starts another invocation, with its own limits; this one only waits for its last attempts.
    if (!finished) await pokeDispatcher();
  } catch (error) {
    running = undefined;
    log("dispatch_failed", { error: String(error) });
  }
  await Promise.all(attempts);
  // An invocation that has ended must leave nothing behind.
  if (--unfinishedRuns === 0) kept.closeAll();
  runLog.logRun();
}

/**
 * Returns true when nothing is left to claim now or within `stayMs`, false when the run has reached its limit of time or
 * of deliveries, or would reach it before the next delivery is due.
 */
async function claimUntilNothingIsDue(
  attempts: Set<Promise<void>>,
  runLog: RunLog,
  stayMs: number,
): Promise<boolean> {
  const stopAt = performance.now() + RUN_MS;
  for (let left = RUN_DELIVERIES; left > 0 && performance.now() < stopAt;) {
    changed = false;
    const capacity = Math.min(places.free(), left);
    const claimed = capacity > 0 ? await claimDeliveries(capacity) : [];
    left -= claimed.length;
    runLog.addClaimed(claimed.length);
    for (const delivery of claimed) {
      const work: Promise<void> = attempt(delivery, runLog).then(() => void attempts.delete(work));
      attempts.add(work);
    }
    // Attempts of an earlier run count too: when they end, their subscriptions and workspaces have places again.
    if (places.taken > 0) {
      await changedWithin(places.free() > 0 ? BUSY_CLAIM_MS : Math.min(BUSY_CLAIM_MS, places.untilSlow()));
      const delay = claimed.length === capacity ? FULL_CLAIM_DELAY_MS : CLAIM_DELAY_MS;
      await new Promise((resolve) => setTimeout(resolve, delay));
      continue;
    }
    const dueIn = await nextDeliveryDue(stayMs);
    if (changed) continue;
    if (dueIn === null) return true;
    if (performance.now() + dueIn >= stopAt) return false;
    await changedWithin(Math.max(Math.ceil(dueIn), MIN_STAY_MS));
  }
  return false;
}

async function attempt(delivery: ClaimedDelivery, runLog: RunLog): Promise<void> {
  const place = places.take(delivery.body?.length ?? 0);
  const result = await attemptDelivery(delivery, kept);
  places.leave(place);
  runLog.addResult(delivery, result);
  claimAgain();
}

/** Waits until a claim may find more, or `ms` have passed. */
async function changedWithin(ms: number): Promise<void> {
  if (changed) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  await new Promise<void>((resolve) => {
    wake = resolve;
    timer = setTimeout(resolve, ms);
  });
  clearTimeout(timer);
}
