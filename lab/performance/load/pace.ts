import { median } from "../../harness/figures.ts";
import { cpuOfPostgres, cpuOfProcess } from "../../harness/usage.ts";

/** How fast something went, and what it took of the processor; NaN where the system has no /proc. */
export interface Pace {
  /** A second. */
  rate: number;
  /** Microseconds for each, in the process. */
  process: number;
  /** Microseconds for each, in Postgres. */
  postgres: number;
}

/**
 * Measures work that a process and a Postgres do together.
 * @param work returns how much was done, and in how many seconds
 */
export async function measurePace(
  pid: number,
  dataDir: string,
  work: () => Promise<{ count: number; seconds: number }>,
): Promise<Pace> {
  const before = [await cpuOfProcess(pid), await cpuOfPostgres(dataDir)] as const;
  const { count, seconds } = await work();
  const after = [await cpuOfProcess(pid), await cpuOfPostgres(dataDir)] as const;
  return {
    rate: count / seconds,
    process: (after[0] - before[0]) * 1000 / count,
    postgres: (after[1] - before[1]) * 1000 / count,
  };
}

/** The middle one of the ratios of rounds that were measured in turns. */
export function medianRatio(ours: Pace[], theirs: Pace[], of: (pace: Pace) => number): number {
  return median(ours.map((pace, round) => of(pace) / of(theirs[round]!)));
}

/** The middle ones of the rounds. */
export function describePaces(paces: Pace[]): string {
  const middle = (of: keyof Pace) => Math.round(median(paces.map((pace) => pace[of])));
  return `${middle("rate")} a second, each ${middle("process")} µs of its process and ${
    middle("postgres")
  } µs of Postgres`;
}
