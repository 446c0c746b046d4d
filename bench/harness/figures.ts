import { table } from "../../tools/pages/page.ts";

/** Which values of a figure are better; `equal` for counts that have one right value. */
type Better = "higher" | "lower" | "equal";

export interface Measurement {
  name: string;
  value: number;
  unit: string;
  target: number;
  better: Better;
  /** Whether the value is a waiting time. Other work on the machine can make waiting times many times longer. */
  waits?: true;
}

/** An entry of results/latest.json: a measurement, whether it met its target, and the command that repeats it. */
export interface Figure extends Measurement {
  held: boolean;
  command: string;
}

export function ratio(name: string, value: number, better: Better, target: number): Measurement {
  return { name, value: round(value), unit: "ratio", target, better };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Marks a measurement as a waiting time. */
export function waiting(measurement: Measurement): Measurement {
  return { ...measurement, waits: true };
}

/** A value that should not exceed its target; rounded to two decimals. */
export function atMost(name: string, value: number, unit: string, target: number): Measurement {
  return { name, value: round(value), unit, target, better: "lower" };
}

/** A count that has one right value. */
export function count(name: string, value: number, unit: string, target = 0): Measurement {
  return { name, value, unit, target, better: "equal" };
}

/** @param tolerance the share of the target that suffices on a busy machine; ignored for counts with one right value */
export function isHeld({ value, target, better }: Measurement, tolerance = 1): boolean {
  if (better === "equal") return value === target;
  return better === "higher" ? value >= target * tolerance : value <= target / tolerance;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** @param share 0.99 for p99 */
export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN;
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Measures things in turns, so that other work on the machine affects all of them alike.
 * @param warmUp number of first rounds that do not count
 * @returns the results of each measure, by round
 */
export async function measureInTurns<T>(
  measures: (() => Promise<T>)[],
  rounds: number,
  warmUp = 1,
): Promise<T[][]> {
  const results: T[][] = measures.map(() => []);
  for (let round = -warmUp; round < rounds; round++) {
    for (const [index, measure] of measures.entries()) {
      const result = await measure();
      if (round >= 0) results[index]!.push(result);
    }
  }
  return results;
}

export const SIGNS = { higher: "≥", lower: "≤", equal: "=" };

/** Renders the table of figures in docs/performance.md, as lines. */
export function tableOf(figures: Figure[]): string[] {
  return table(
    ["Figure", "Measured", "Target", "Reached", "Command"],
    figures.map(({ name, value, unit, target, better, held, command }) => [
      name,
      `${value} ${unit}`,
      `${SIGNS[better]} ${target}`,
      held ? "yes" : "**no**",
      `\`${command}\``,
    ]),
  );
}
