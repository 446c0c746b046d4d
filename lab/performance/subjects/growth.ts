import type { Conditions, Measurement, Subject } from "../figure.ts";
import { startCluster } from "../growth/cluster.ts";
import { type EndpointProbe, resolveProbes } from "../growth/coverage.ts";
import { Door, recordsOf } from "../growth/door.ts";
import { measure } from "../growth/measure.ts";
import { makeSizes } from "../growth/sizes.ts";

const TARGET = 1.5;
/** Times that a ratio that was missed is measured again. */
const AGAIN = 2;

/** What a call to each size took, over what it took at the smallest. */
interface Outcome {
  operation: string;
  /** How many records the largest size of one workspace has. */
  records: number;
  /** The largest ratio among sizes of one workspace. */
  alone: number;
  /** The ratio in one of many workspaces. */
  among: number;
}

/** Whether a call costs more where there is more. */
export const growth: Subject = {
  name: "growth",
  title: "Growth: every operation among ever more records",
  async measure(conditions) {
    const probes = resolveProbes();
    const cluster = await startCluster();
    try {
      const sizes = await makeSizes(cluster, conditions);
      const doors = await Promise.all(sizes.all.map(Door.open));
      try {
        const outcomes: Outcome[] = [];
        for (const probe of probes) outcomes.push(await compare(probe, doors, conditions));
        return figures(outcomes, sizes.shared);
      } finally {
        await Promise.all(doors.map((door) => door.close()));
      }
    } finally {
      await cluster.close();
    }
  },
};

/** The doors: one workspace of growing size, then one of many workspaces. */
async function compare(probe: EndpointProbe, doors: Door[], { short, note }: Conditions): Promise<Outcome> {
  let [smallest, ratios] = await measure(probe, doors, short);
  // Growth is there each time; what only the machine was slow at is not.
  for (let again = 1; again <= AGAIN && !probe.once && Math.max(...ratios) > TARGET; again++) {
    const [time, others] = await measure(probe, doors, short, again);
    if (Math.max(...others) < Math.max(...ratios)) [smallest, ratios] = [time, others];
  }
  const outcome = {
    operation: probe.operation,
    records: recordsOf(probe, doors.at(-2)!.size),
    alone: Math.max(...ratios.slice(0, -1)),
    among: ratios.at(-1)!,
  };
  const missed = Math.max(...ratios) > TARGET;
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join("  ");
  note(`${missed ? "!" : " "} ${smallest.toFixed(2)} ms × ${shown}  ${probe.operation}  ${valuesOf(probe)}`);
  if (missed) note(`    ${(await blocks(probe, doors)).join(", ")} blocks touched`);
  return outcome;
}

/** Blocks say whether a larger size does more, or was only unlucky in its time. */
async function blocks(probe: EndpointProbe, doors: Door[]): Promise<number[]> {
  const counts: number[] = [];
  if (!probe.route.startsWith("GET")) return counts;
  for (const door of doors) {
    const [args] = await door.argumentsOf(probe, 0, 1);
    counts.push(await door.blocks(probe, args!));
  }
  return counts;
}

function valuesOf({ args }: EndpointProbe): string {
  return Object.entries(args).map(([name, value]) => `${name} = ${value}`).join(", ");
}

/** One figure an operation, the worst of its probes, and one for all of them in one of many workspaces. */
function figures(outcomes: Outcome[], shared: string): Measurement[] {
  const worst = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const { operation, alone } = outcome;
    if (alone > (worst.get(operation)?.alone ?? 0)) worst.set(operation, outcome);
  }
  const figure = (name: string, ratio: number): Measurement => ({
    name,
    value: Math.round(ratio * 100) / 100,
    unit: "ratio",
    target: TARGET,
    better: "lower",
  });
  const slowest = outcomes.reduce((one, other) => other.among > one.among ? other : one);
  return [
    ...[...worst.values()].map(({ operation, records, alone }) =>
      figure(`${operation}: up to ${records.toLocaleString("en-US")} records to 1,000`, alone)
    ),
    figure(`${slowest.operation}, the slowest in ${shared}: to a workspace alone`, slowest.among),
  ];
}
