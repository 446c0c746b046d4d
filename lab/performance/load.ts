import { join } from "node:path";
import { startLineProcess } from "./lines.ts";
import type { LoadPlan, LoadResult } from "./load/plan.ts";

export type { LoadPlan, LoadResult, PlannedRequest } from "./load/plan.ts";

/** A process that sends requests, apart from the one that answers them. */
export interface LoadGenerator {
  send(plan: LoadPlan): Promise<LoadResult>;
  stop(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
  const child = startLineProcess([join(import.meta.dirname!, "load", "process.ts")]);
  return {
    send: async (plan) => JSON.parse(await child.ask(plan)),
    stop: () => child.close(),
  };
}

/** @throws where a request was not answered as expected: what was measured is something else then */
export async function sendFlawlessly(generator: LoadGenerator, plan: LoadPlan): Promise<LoadResult> {
  const result = await generator.send(plan);
  const { unexpected, unanswered, example } = result;
  if (unexpected + unanswered === 0) return result;
  throw new Error(
    `Of ${
      answers(result)
    } answers ${unexpected} were not as expected, and ${unanswered} requests had none: ${example}`,
  );
}

/** How many requests were answered. */
export function answers({ latencies }: LoadResult): number {
  return latencies.reduce((sum, { length }) => sum + length, 0);
}

/** @param share 0.99: the milliseconds that one answer in a hundred takes longer than */
export function percentile({ latencies }: LoadResult, share: number): number {
  const sorted = latencies.flat().sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
