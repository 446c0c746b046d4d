import { join } from "node:path";
import { startLineProcess } from "../../harness/processes.ts";
import type { PlannedRequest } from "./template.ts";

/** What the generator is to send. */
export interface LoadPlan {
  baseUrl: string;
  /** Each sends its next request when it has read the answer to the one before. */
  connections: number;
  seconds: number;
  /** Taken in turn, by whichever connection is free. */
  requests: PlannedRequest[];
}

/** What came of it. */
export interface LoadResult {
  /** From the first request to the last answer. */
  seconds: number;
  /** Of every connection: the milliseconds of each answer, in their order. */
  latencies: number[][];
  statuses: Record<number, number>;
  /** Answers that were not as expected. */
  unexpected: number;
  /** The first answer that was not as expected, or why there was none. */
  example: string | null;
  /** Answers of 503 that did not say when to come back. */
  withoutRetryAfter: number;
  /** Requests whose connection was closed on them, or that waited for UNANSWERED_MS: each the end of its connection. */
  unanswered: number;
}

/** Milliseconds after which a request counts as unanswered. */
export const UNANSWERED_MS = 20_000;

/** A process that sends requests, apart from the one that answers them. */
export interface LoadGenerator extends AsyncDisposable {
  send(plan: LoadPlan): Promise<LoadResult>;
}

export function startLoadGenerator(): LoadGenerator {
  const child = startLineProcess([join(import.meta.dirname!, "generator_process.ts")]);
  return {
    send: async (plan) => JSON.parse(await child.ask(plan)),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** How many requests were answered. */
export function countAnswers({ latencies }: LoadResult): number {
  return latencies.reduce((total, { length }) => total + length, 0);
}
