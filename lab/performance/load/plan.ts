/** A request; `{n}` in its path, headers or body is another number each time that it is sent. */
export interface PlannedRequest {
  method: string;
  /** Under the server's base URL. */
  path: string;
  headers: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** The status that it should be answered with. */
  expect: number;
}

/** What the generator is told to send. */
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

/** Milliseconds after which nobody waits any more. */
export const UNANSWERED_MS = 20_000;
