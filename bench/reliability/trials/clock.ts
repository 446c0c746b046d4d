import type { DeliveryWorld, Trial } from "../world.ts";
import { createSubscribers, deliveries, enqueue, skipWaits } from "../queue.ts";
import { eventually, pause } from "../../harness/waiting.ts";

const HOUR_MS = 3_600_000;
/** The scheduled waits before attempts 2, 3, 4 and 5. */
const WAITS_S = [30, 5 * 60, 30 * 60, 6 * 60 * 60];
const DELIVERIES = 20;
/** Allowed lateness: more than a busy machine causes, and far less than the hour by which the clock is wrong. */
const LATE_S = 120;

/** Trial 4: the only dispatcher's clock is an hour ahead, then an hour behind. */
export const clock: Trial = {
  number: 4,
  target: "A dispatcher whose clock is ±1 h off keeps the schedule, and signs with the right time",
  async run(world, { short }) {
    const found: string[] = [];
    let ok = true;
    for (const [sign, error] of [["+", HOUR_MS], ["−", -HOUR_MS]] as const) {
      const { kept, waited } = await runWith(world, error, !short);
      ok &&= kept;
      found.push(`${sign}1 h: ${kept ? "all waits as scheduled" : "NOT kept"}${waited}`);
      console.log(`  ${found.at(-1)}`);
    }
    return { ok, measured: found.join("; ") };
  },
};

/** @param awaitFirst whether the first wait, 30 s, passes in real time; every other wait is checked and then skipped */
async function runWith(
  { sql, receiver, spawnDispatcher }: DeliveryWorld,
  clockError: number,
  awaitFirst: boolean,
) {
  const workspaces = await createSubscribers(sql, receiver.failingUrl, DELIVERIES);
  receiver.clear();
  await enqueue(sql, workspaces, 1);
  const dispatcher = spawnDispatcher({ clockErrorMs: clockError });
  let kept = true;
  for (const [index, seconds] of WAITS_S.entries()) {
    await attempted(index + 1);
    const rows = await sql<{ wait: number }[]>`
      select extract(epoch from d.next_attempt_at - a.finished_at)::float8 as wait
      from crm.webhook_deliveries d
      join crm.webhook_attempts a on a.workspace_id = d.workspace_id and a.delivery_id = d.id
      where d.workspace_id = any (${workspaces}) and a.number = ${index + 1}`;
    kept &&= rows.length === DELIVERIES &&
      rows.every(({ wait }) => wait >= seconds - 0.1 && wait <= seconds * 1.01 + LATE_S);
    // No attempt may have come early: a dispatcher that used its own clock would be an hour early.
    if (index > 0 || !awaitFirst) {
      await pause(500);
      kept &&= requests().every((at) => at.length === index + 1);
      await skipWaits(sql, workspaces);
    }
  }
  await attempted(5);
  await dispatcher.kill();

  const signed = [...receiver.arrivals.values()].flatMap(({ at, timestamps }) =>
    timestamps.map((timestamp, index) => timestamp * 1000 - at[index]!)
  );
  // The signature must have the database's time, because receivers refuse a timestamp that is minutes off.
  kept &&= signed.every((error) => Math.abs(error) < LATE_S * 1000);
  // The log proves that the dispatcher's clock was wrong.
  const logged = JSON.parse(dispatcher.output().trim().split("\n").at(-1)!) as { at: string };
  kept &&= Math.abs(Date.parse(logged.at) - Date.now() - clockError) < LATE_S * 1000;
  if (!awaitFirst) return { kept, waited: "" };
  const first = requests().map(([one, two]) => (two! - one!) / 1000);
  const [least, most] = [Math.min(...first), Math.max(...first)];
  return {
    kept: kept && least >= 30 && most <= 30 + LATE_S,
    waited: `, the first one took ${least.toFixed(1)} to ${most.toFixed(1)} s`,
  };

  function requests(): number[][] {
    return [...receiver.arrivals.values()].map(({ at }) => at);
  }
  async function attempted(times: number): Promise<void> {
    const due = async () => (await deliveries(sql, workspaces)).every(({ attempts }) => attempts === times);
    await eventually(due, `attempt ${times}`, LATE_S);
  }
}
