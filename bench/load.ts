import { join } from "node:path";
import { readLines } from "./lines.ts";
import type { LoadPlan, LoadResult } from "./load/plan.ts";

export type { LoadPlan, LoadResult, PlannedRequest } from "./load/plan.ts";

/** A process that sends requests, apart from the one that answers them. */
export interface LoadGenerator {
  send(plan: LoadPlan): Promise<LoadResult>;
  stop(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(import.meta.dirname!, "load", "process.ts")],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  const lines = readLines(child.stdout);
  return {
    async send(plan) {
      await writer.write(new TextEncoder().encode(JSON.stringify(plan) + "\n"));
      const { value } = await lines.next();
      if (value === undefined) throw new Error("The load generator has ended; why, is above");
      return JSON.parse(value);
    },
    async stop() {
      await writer.close();
      // Read to its end: an open pipe would keep this process from ending.
      await Promise.all([child.status, lines.next()]);
    },
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
