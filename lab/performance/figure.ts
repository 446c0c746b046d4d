/** Which way a figure should go; `equal` for counts that have one right value. */
export type Better = "higher" | "lower" | "equal";

/** One number of docs/performance.md, as a subject measured it. */
export interface Measurement {
  /** Says what was measured without its surroundings: a line of a table, a bar of the plot. */
  name: string;
  value: number;
  /** `ratio`, `statements`, `round trips`, … */
  unit: string;
  target: number;
  better: Better;
}

/** As it stands in results/latest.json. */
export interface Figure extends Measurement {
  held: boolean;
  /** What measures it again. */
  command: string;
}

export interface Conditions {
  /** As in CI: fewer rounds, and nothing that needs minutes. */
  short: boolean;
  /** A line for who watches: progress, and what is worth knowing but is no figure. */
  note(line: string): void;
}

/** One part of the bench. Each starts what it needs and leaves nothing running. */
export interface Subject {
  /** By which it is called: `deno task bench -- <name>`. */
  name: string;
  title: string;
  measure(conditions: Conditions): Promise<Measurement[]>;
}

/** A measurement with its verdict. */
export function figureOf(measurement: Measurement, subject: Subject): Figure {
  return { ...measurement, held: isHeld(measurement), command: `deno task bench -- ${subject.name}` };
}

/** @param tolerance share of the target that is enough, for a machine whose timings are noise; counts have none */
export function isHeld({ value, target, better }: Measurement, tolerance = 1): boolean {
  if (better === "equal") return value === target;
  return better === "higher" ? value >= target * tolerance : value <= target / tolerance;
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
