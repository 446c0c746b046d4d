import { type Measurement, ratio, sum } from "../../harness/figures.ts";
import { type Door, isFit, openDoor, recordsOf } from "../growth/door.ts";
import { makeProbes, type Probe } from "../growth/probes.ts";
import { makeSizes, show, type Size, startCluster } from "../growth/sizes.ts";
import type { Conditions, Subject } from "../../harness/run_subjects.ts";

const TARGET = 1.5;
/** A page that ends early, because it has read its maximum of rows, may take this many times as long as a full page. */
const EARLY_TARGET = 4;
/** A probe uses twelve different rows (seed.sql), so the warm-up reads each row once before it is measured. */
const WARM_UP = 12;
const ROUNDS = 4;
const SHORT_ROUNDS = 2;
/** Maximum time for one probe at one size, so a slow probe makes fewer calls. */
const BUDGET_MS = 1_000;
const MIN_CALLS = 4;
/** How often a probe whose ratio is over the target is measured again. */
const AGAIN = 2;

/** How much longer a probe takes among more records. A ratio is a multiple of its time at the smallest size. */
interface Outcome {
  probe: Probe;
  /** Milliseconds at the largest size with one workspace. */
  time: number;
  /** The largest ratio among sizes of one workspace. */
  alone: number;
  /** The ratio in the database with many workspaces; 0 if the workspace has too few records for the probe. */
  among: number;
}

/** Whether a call takes longer among more records. */
export const growth: Subject = {
  name: "growth",
  title: "Growth: every operation among ever more records",
  async measure(conditions) {
    const probes = await makeProbes();
    await using cluster = await startCluster();
    const sizes = await makeSizes(cluster, conditions);
    await using stack = new AsyncDisposableStack();
    const doors = await Promise.all(sizes.map(async (size) => stack.use(await openDoor(size))));
    const outcomes: Outcome[] = [];
    for (const probe of probes) {
      const fit = doors.filter(({ size }) => isFit(probe, size));
      outcomes.push(await compareSizes(probe, fit, fit.at(-1) === doors.at(-1), conditions));
    }
    return figures(outcomes, sizes);
  },
};

/**
 * @param doors one for each database, the smallest first
 * @param shared whether the last database has many workspaces; each of the others has one
 */
async function compareSizes(
  probe: Probe,
  doors: Door[],
  shared: boolean,
  { short, note }: Conditions,
): Promise<Outcome> {
  let [smallest, ratios] = await measureProbe(probe, doors, short);
  // Keeps the best measurement: real growth shows in every measurement, a slow moment of the machine in only one.
  for (let again = 1; again <= AGAIN && Math.max(...ratios) > TARGET; again++) {
    const [time, others] = await measureProbe(probe, doors, short, again);
    if (Math.max(...others) < Math.max(...ratios)) [smallest, ratios] = [time, others];
  }
  const [args] = await doors[0]!.argumentsOf(probe, 0, 1);
  const missed = Math.max(...ratios) > TARGET;
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join("  ");
  note(`${missed ? "!" : " "} ${smallest.toFixed(2)} ms × ${shown}  ${probe.operation}  ${args}`);
  const alone = shared ? ratios.slice(0, -1) : ratios;
  return {
    probe,
    time: smallest * (alone.at(-1) ?? 1),
    // 1 if there is nothing to compare: a short run may have only one size with enough records.
    alone: alone.length === 0 ? 1 : Math.max(...alone),
    among: shared ? ratios.at(-1)! : 0,
  };
}

/**
 * Calls every size in turns, so that other work on the machine affects all alike. The warm-up reads each record first,
 * so that the time of the disk does not count.
 * @param doors the smallest size first
 * @param again how often the probe was measured on these doors before: each measurement creates new values
 * @returns milliseconds of a call at the smallest size, and the ratios of the other sizes
 */
async function measureProbe(
  probe: Probe,
  doors: Door[],
  short: boolean,
  again = 0,
): Promise<[milliseconds: number, ratios: number[]]> {
  const count = WARM_UP * (1 + (short ? SHORT_ROUNDS : ROUNDS));
  const calls = await Promise.all(doors.map((door) => door.argumentsOf(probe, again * count, count)));
  const taken: number[][] = doors.map(() => []);
  for (let call = 0; call < count; call++) {
    for (const [index, door] of doors.entries()) {
      const times = taken[index]!;
      if (times.length < MIN_CALLS || sum(times) < BUDGET_MS) {
        const args = calls[index]![call]!;
        times.push(await door.call(probe, args));
      }
    }
  }
  const [smallest, ...others] = taken.map((times) =>
    lowerQuartile(times.slice(times.length > WARM_UP ? WARM_UP : 1))
  ) as [number, ...number[]];
  return [smallest, others.map((time) => time / smallest)];
}

/** Growth slows every call and so shows here. Other work on the machine slows only some calls and does not show. */
function lowerQuartile(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)]!;
}

/**
 * Returns the ratio of each endpoint's worst probe, the ratio of the call that other workspaces slow most, and, for the
 * slowest page that ends early, its time as a multiple of a full page's time.
 */
function figures(outcomes: Outcome[], sizes: Size[]): Measurement[] {
  const alone = sizes.slice(0, -1);
  const figure = (name: string, value: number, target = TARGET) => ratio(name, value, "lower", target);
  const ofEndpoints = [...Map.groupBy(outcomes, ({ probe }) => probe.endpoint).values()].map((probed) => {
    const { probe } = probed[0]!;
    const [least, most] = [alone[0]!, alone.at(-1)!].map((size) => show(recordsOf(probe, size)));
    return figure(
      `${probe.title}: up to ${most} records to ${least}`,
      largest(probed, ({ alone }) => alone).alone,
    );
  });
  const slowed = largest(outcomes, ({ among }) => among);
  const toFullPage = ({ probe, time }: Outcome) =>
    time / outcomes.find(({ probe: full }) => full.page === "full" && full.endpoint === probe.endpoint)!.time;
  const early = largest(outcomes.filter(({ probe }) => probe.page === "any"), toFullPage);
  return [
    ...ofEndpoints,
    figure(
      `${slowed.probe.operation}, the slowest in one of ${sizes.at(-1)!.name}: to a workspace alone`,
      slowed.among,
    ),
    figure(
      `${early.probe.operation}, the slowest page that ends early: to a full page`,
      toFullPage(early),
      EARLY_TARGET,
    ),
  ];
}

function largest(outcomes: Outcome[], value: (outcome: Outcome) => number): Outcome {
  return outcomes.reduce((one, other) => value(other) > value(one) ? other : one);
}
