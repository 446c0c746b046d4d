import { type Measurement, ratio } from "../../harness/figures.ts";
import { startCluster } from "../growth/cluster.ts";
import { type EndpointProbe, isWrite, resolveProbes } from "../growth/coverage.ts";
import { Door, recordsOf } from "../growth/door.ts";
import { makeSizes, show } from "../growth/sizes.ts";
import type { Conditions, Subject } from "../../harness/subject.ts";

const TARGET = 1.5;
/** The number of different rows of a probe (seed.sql), so that each row has been read once before it is measured. */
const WARM_UP = 12;
/** How often each row is measured. */
const ROUNDS = 4;
const SHORT_ROUNDS = 2;
/** For one probe at one size. A slow probe needs few calls. */
const BUDGET_MS = 1_000;
const FEWEST_CALLS = 4;
/** How often a missed ratio is measured again. */
const AGAIN = 2;

/** The times of a probe at each size, divided by that at the smallest. */
interface Outcome {
  operation: string;
  /** The records of the largest size with one workspace. */
  records: number;
  /** The largest ratio among sizes of one workspace. */
  alone: number;
  /** The ratio in one of many workspaces. */
  among: number;
}

/** Whether a call takes longer among more records. */
export const growth: Subject = {
  name: "growth",
  title: "Growth: every operation among ever more records",
  async measure(conditions) {
    const probes = resolveProbes();
    await using cluster = await startCluster();
    const sizes = await makeSizes(cluster, conditions);
    const doors = await Promise.all(sizes.map(Door.open));
    try {
      const outcomes: Outcome[] = [];
      for (const probe of probes) outcomes.push(await compareSizes(probe, doors, conditions));
      return figures(outcomes, sizes.at(-1)!.name);
    } finally {
      for (const door of doors) await door[Symbol.asyncDispose]();
    }
  },
};

/** @param doors one workspace of growing size, then one of many workspaces */
async function compareSizes(
  probe: EndpointProbe,
  doors: Door[],
  { short, note }: Conditions,
): Promise<Outcome> {
  let [smallest, ratios] = await measureProbe(probe, doors, short);
  // Real growth is measured every time; a slow moment of the machine is not.
  for (let again = 1; again <= AGAIN && !probe.once && Math.max(...ratios) > TARGET; again++) {
    const [time, others] = await measureProbe(probe, doors, short, again);
    if (Math.max(...others) < Math.max(...ratios)) [smallest, ratios] = [time, others];
  }
  const missed = Math.max(...ratios) > TARGET;
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join("  ");
  const args = Object.entries(probe.args).map(([name, value]) => `${name} = ${value}`).join(", ");
  note(`${missed ? "!" : " "} ${smallest.toFixed(2)} ms × ${shown}  ${probe.operation}  ${args}`);
  if (missed && !isWrite(probe)) note(`    ${await countBlocks(probe, doors)} blocks touched`);
  return {
    operation: probe.operation,
    records: recordsOf(probe, doors.at(-2)!.size),
    alone: Math.max(...ratios.slice(0, -1)),
    among: ratios.at(-1)!,
  };
}

/**
 * Calls every size in turns, so that other work of the machine affects all alike. Each record has been read before, so that
 * the time of the disk does not count.
 * @param doors the smallest size first
 * @param again how often the probe was measured on these doors before; its creates need new values each time
 * @returns milliseconds of a call at the smallest size, and the ratios of the other sizes
 */
async function measureProbe(
  probe: EndpointProbe,
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
      if (times.length < FEWEST_CALLS || times.reduce((sum, time) => sum + time) < BUDGET_MS) {
        times.push(await door.call(probe, calls[index]![call]!));
      }
    }
  }
  const [smallest, ...others] = taken.map((times) =>
    lowerQuartile(times.slice(times.length > WARM_UP ? WARM_UP : 1))
  ) as [number, ...number[]];
  return [smallest, others.map((time) => time / smallest)];
}

/** Growth slows every call, other work of the machine only some, so the lower quartile shows growth alone. */
function lowerQuartile(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)]!;
}

/** Unlike a time, a count of blocks has no noise. */
async function countBlocks(probe: EndpointProbe, doors: Door[]): Promise<string> {
  const counts = await Promise.all(doors.map(async (door) => {
    const [args] = await door.argumentsOf(probe, 0, 1);
    return await door.countBlocks(probe, args!);
  }));
  return counts.join(", ");
}

/** One figure for each operation, from its worst probe, and one for the worst operation in one of many workspaces. */
function figures(outcomes: Outcome[], shared: string): Measurement[] {
  const byOperation = Map.groupBy(outcomes, ({ operation }) => operation);
  const slowest = outcomes.reduce((one, other) => other.among > one.among ? other : one);
  return [
    ...[...byOperation].map(([operation, probed]) => {
      const { records, alone } = probed.reduce((one, other) => other.alone > one.alone ? other : one);
      const name = `${operation}: up to ${show(records)} records to 1,000`;
      return ratio(name, alone, "lower", TARGET);
    }),
    ratio(
      `${slowest.operation}, the slowest in one of ${shared}: to a workspace alone`,
      slowest.among,
      "lower",
      TARGET,
    ),
  ];
}
