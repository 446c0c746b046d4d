import { median } from "../../harness/figures.ts";
import { cpuOfPostgres, cpuOfProcess } from "../../harness/usage.ts";

/** The rate of some work and its processor time; NaN if the system has no /proc. */
export interface Pace {
  rate: number;
  /** Microseconds of the process for each unit. */
  process: number;
  /** Microseconds of Postgres for each unit. */
  postgres: number;
}

/**
 * Measures work that a process and a Postgres do together.
 * @param work returns the units of work and the seconds
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

/** The median of the ratios of rounds that were measured in turns. */
export function medianRatio(ours: Pace[], theirs: Pace[], of: (pace: Pace) => number): number {
  return median(ours.map((pace, round) => of(pace) / of(theirs[round]!)));
}

export function describePaces(paces: Pace[]): string {
  const middle = (of: keyof Pace) => Math.round(median(paces.map((pace) => pace[of])));
  return `${middle("rate")} a second, each ${middle("process")} µs of its process and ${
    middle("postgres")
  } µs of Postgres`;
}
