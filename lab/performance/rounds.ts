import { cpuOfPostgres, cpuOfProcess } from "./cpu.ts";
import { median } from "./figure.ts";
import { answers, type LoadGenerator, type LoadPlan, sendFlawlessly } from "./load.ts";

const WARM_UP_SECONDS = 0.5;

/** What a round is made of. */
export interface Setting {
  generator: LoadGenerator;
  /** Of the process that serves. */
  pid: number;
  /** Of the Postgres behind it. */
  dataDir: string;
}

/** Requests of one kind: how many a second, and the microseconds of processor that one took; null without /proc. */
export interface Pace {
  rate: number;
  postgres: number | null;
  deno: number | null;
}

/**
 * Measures plans in turns, so that what else the machine does meets all of them.
 * @returns the rounds of each plan, after one that does not count
 */
export async function measureInTurns(setting: Setting, plans: LoadPlan[], rounds: number): Promise<Pace[][]> {
  for (const plan of plans) await sendFlawlessly(setting.generator, { ...plan, seconds: WARM_UP_SECONDS });
  const paces: Pace[][] = plans.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, plan] of plans.entries()) paces[index]!.push(await measure(setting, plan));
  }
  return paces;
}

/** The middle one of the rounds' ratios. */
export function ratioOf(ours: Pace[], theirs: Pace[]): number {
  return median(ours.map(({ rate }, round) => rate / theirs[round]!.rate));
}

/** The middle ones of the rounds. */
export function typical(paces: Pace[]): Pace {
  const middle = (of: "postgres" | "deno") => {
    const values = paces.map((pace) => pace[of]);
    return values.includes(null) ? null : median(values as number[]);
  };
  return {
    rate: median(paces.map(({ rate }) => rate)),
    postgres: middle("postgres"),
    deno: middle("deno"),
  };
}

async function measure({ generator, pid, dataDir }: Setting, plan: LoadPlan): Promise<Pace> {
  const [postgresBefore, denoBefore] = [await cpuOfPostgres(dataDir), await cpuOfProcess(pid)];
  const result = await sendFlawlessly(generator, plan);
  const [postgresAfter, denoAfter] = [await cpuOfPostgres(dataDir), await cpuOfProcess(pid)];
  const count = answers(result);
  const each = (before: number | null, after: number | null) =>
    before === null || after === null ? null : (after - before) * 1000 / count;
  return {
    rate: count / result.seconds,
    postgres: each(postgresBefore, postgresAfter),
    deno: each(denoBefore, denoAfter),
  };
}
