import { log } from "../_shared/runtime/log.ts";
import { pokeDispatcher } from "../_shared/webhooks/poke.ts";
import { attemptDelivery } from "./attempt_delivery.ts";
import { KeptConnections } from "./kept_connections.ts";
import { sendNotices } from "./notices.ts";
import { Places } from "./places.ts";
import { claimDeliveries, type ClaimedDelivery, nextDeliveryDue } from "./queue.ts";
import { RunLog } from "./run_log.ts";

/** Milliseconds until a run hands over to a new run: Supabase ends an invocation after 150 s. */
const RUN_MS = 60_000;
/**
 * Deliveries until a run hands over to a new run: Supabase retires an isolate after 1 s of CPU time, and ends it after
 * 2 s. A delivery takes 0.5 ms of CPU time over a kept connection and 1.1 ms over a new one, so 250 take at most 0.28
 * s, and less than 1 s on a machine three times slower.
 */
const RUN_DELIVERIES = 250;
/**
 * An idle run waits for a delivery that becomes due within this many milliseconds. The time includes the second
 * attempt, 30 s after the first (spec 6.5). For later attempts the schedule wakes a run in time.
 */
const STAY_MS = 40_000;
/**
 * Minimum wait of an idle run, in milliseconds. Deliveries that failed together become due almost together, so one
 * claim then takes them all.
 */
const MIN_STAY_MS = 100;
/** Maximum milliseconds between claims while attempts are under way, because other deliveries may become due. */
const BUSY_CLAIM_MS = 500;
/**
 * Milliseconds between the end of an attempt and the next claim. Attempts often end together, and a claim costs
 * Postgres some 2 ms, however few deliveries it finds.
 */
const CLAIM_DELAY_MS = 15;

// Shared by all runs: a run that has handed over still makes attempts while the next run claims.
const places = new Places();
const kept = new KeptConnections();
let unfinishedRuns = 0;

let running: Promise<void> | undefined;
/**
 * Whether another claim may find more, because a call has joined the run or an attempt has ended since the last claim.
 */
let changed = false;
let wake = () => {};

/**
 * Makes attempts until no delivery is due now or soon. A call during a run joins that run, and the run claims again
 * before it ends. Any number of processes may dispatch at the same time. Never rejects.
 *
 * @param stayMs if this call starts a run, the run waits for deliveries due within this many milliseconds; 0: no wait
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
    // The poke starts another invocation with its own limits. This invocation only awaits its last attempts.
    if (!finished) await pokeDispatcher();
  } catch (error) {
    running = undefined;
    log("dispatch_failed", { error: String(error) });
  }
  await Promise.all(attempts);
  // After the attempts, so that no delivery waits for a mail service.
  await sendNotices();
  // No connection may stay open after the last run of this process.
  if (--unfinishedRuns === 0) kept.closeAll();
  runLog.logRun();
}

/**
 * Returns true when no delivery is due now or within `stayMs`. Returns false when the run has reached its limit of time
 * or deliveries, or would reach it before the next delivery is due.
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
    // `taken` includes attempts of earlier runs: when they end, their subscriptions and workspaces have room for more
    // attempts.
    if (places.taken > 0) {
      await changedWithin(places.free() > 0 ? BUSY_CLAIM_MS : Math.min(BUSY_CLAIM_MS, places.untilSlow()));
      await new Promise((resolve) => setTimeout(resolve, CLAIM_DELAY_MS));
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

/** Resolves when another claim may find more, or after `ms` milliseconds. */
async function changedWithin(ms: number): Promise<void> {
  if (changed) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  await new Promise<void>((resolve) => {
    wake = resolve;
    timer = setTimeout(resolve, ms);
  });
  clearTimeout(timer);
}
