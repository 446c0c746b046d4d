// The orders and results of attacker_process.ts, which runs apart from this process and at a lower priority: an attacker
// does not use the processors of the service.
import { join } from "node:path";
import { startLineProcess } from "../harness/processes.ts";

/** A request to repeat. `{key}` in a header is replaced by another well-formed key each time, `{token}` by a token. */
export interface HostileRequest {
  method: string;
  /** Under the server's base URL. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as it is. */
  body?: string;
}

export interface Flood {
  baseUrl: string;
  /** Each sends its next request as soon as the last one is answered, and connects again after an error. */
  connections: number;
  seconds: number;
  requests: HostileRequest[];
  /** Milliseconds that each connection waits after an answer; 0 by default. */
  pauseMs?: number;
  /** Bytes of the body a second, for each connection; as fast as possible by default. */
  bytesPerSecond?: number;
}

export interface FloodResult {
  /** How many requests were answered, by status. */
  statuses: Record<number, number>;
  /** How many requests ended without an answer. */
  unanswered: number;
  /** The error of the first of them. */
  example: string | null;
  /** The longest time from a request's start to the end of its connection or to its answer, in seconds. */
  longestSeconds: number;
}

/** Starts the process that floods; `flood` resolves when the flood has ended. */
export function startAttacker() {
  const attacker = startLineProcess([join(import.meta.dirname!, "attacker_process.ts")]);
  return {
    flood: async (order: Flood): Promise<FloodResult> => JSON.parse(await attacker.request(order)),
    [Symbol.asyncDispose]: () => attacker[Symbol.asyncDispose](),
  };
}
