import { bareHost, judgeTarget, type TargetPolicy, targetPolicy } from "../_shared/webhooks/target.ts";
import { connect } from "./connect.ts";
import { exchange } from "./exchange.ts";
import { AttemptFailure, type FailureReason } from "./failure.ts";
import { publicAddresses, resolveByDns, type Resolver } from "./resolve.ts";

/** The outcome of one attempt: `status` where an answer came, `reason` where it failed. */
export interface Outcome {
  ok: boolean;
  status?: number;
  reason?: FailureReason | `http_${number}`;
}

/** What an attempt knows of the world; this process's own policy and DNS where left out. */
export interface Surroundings {
  policy?: TargetPolicy;
  resolve?: Resolver;
}

const ATTEMPT_MS = 10_000;

/**
 * Makes one attempt (spec 6.5): judges the target again, resolves it and judges every address, connects to a judged
 * address, sends, and reads the status. 10 s in all. Redirects are not followed: a 3xx is a failure like any other.
 * Whatever the network or the receiver does is an outcome; only a mistake of our own is thrown.
 */
export async function deliver(
  target: string,
  headers: Record<string, string>,
  body: Uint8Array,
  surroundings: Surroundings = {},
): Promise<Outcome> {
  try {
    const status = await attempt(target, headers, body, surroundings);
    const ok = status >= 200 && status <= 299;
    return ok ? { ok, status } : { ok, status, reason: `http_${status}` };
  } catch (error) {
    if (error instanceof AttemptFailure) return { ok: false, reason: error.reason };
    throw error;
  }
}

async function attempt(
  target: string,
  headers: Record<string, string>,
  body: Uint8Array,
  { policy = targetPolicy(), resolve = resolveByDns }: Surroundings,
): Promise<number> {
  const deadline = performance.now() + ATTEMPT_MS;
  const judged = judgeTarget(target, policy);
  if (!judged.ok) throw new AttemptFailure("target_refused");
  const { url, exempt } = judged;
  const addresses = exempt ? [bareHost(url)] : await publicAddresses(url, resolve);
  const connection = await connect(url, addresses, deadline);
  try {
    return await exchange(connection, url, headers, body, deadline);
  } finally {
    connection.close();
  }
}
