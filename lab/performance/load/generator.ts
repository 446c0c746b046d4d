import type { PlannedRequest } from "./template.ts";

/** The requests that the generator sends. */
export interface LoadPlan {
  baseUrl: string;
  /** Each sends its next request after it has read the previous answer. */
  connections: number;
  seconds: number;
  /** Used in turn, by the next free connection. */
  requests: PlannedRequest[];
}

/** The answers to a load. */
export interface LoadResult {
  /** From the first request to the last answer. */
  seconds: number;
  /** For each connection, the milliseconds of its answers in their order. */
  latencies: number[][];
  statuses: Record<number, number>;
  /** Answers that were not as expected. */
  unexpected: number;
  /** The first unexpected answer, or the error in its place. */
  example: string | null;
  /** Answers of 503 without Retry-After. */
  withoutRetryAfter: number;
  /** Requests whose connection was closed, or that waited for UNANSWERED_MS; each ends its connection. */
  unanswered: number;
}

/** Milliseconds after which a request counts as unanswered. */
export const UNANSWERED_MS = 20_000;

/** The number of requests that were answered. */
export function countAnswers({ latencies }: LoadResult): number {
  return latencies.reduce((total, { length }) => total + length, 0);
}
