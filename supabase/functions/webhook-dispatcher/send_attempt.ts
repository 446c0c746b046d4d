import { checkTarget } from "../_shared/webhooks/target.ts";
import { bareHost, type TargetPolicy, targetPolicy } from "../_shared/webhooks/target_policy.ts";
import { connect } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { AttemptFailure, type FailureReason, Unanswered } from "./failure.ts";
import type { KeptConnections } from "./kept_connections.ts";
import { publicAddresses, resolveByDns, type Resolver } from "./resolve.ts";
import { type Answer, sendPost } from "./send_post.ts";

/** The outcome of an attempt: `status` if the receiver answered, `reason` if the attempt failed. */
export interface AttemptOutcome {
  ok: boolean;
  status?: number;
  reason?: FailureReason | `http_${number}`;
  /** The beginning of the answer's body, if the receiver answered with text. */
  text?: string;
}

export interface AttemptOptions {
  policy?: TargetPolicy;
  resolve?: Resolver;
  /** If absent, the attempt opens its own connection. */
  kept?: KeptConnections;
}

const ATTEMPT_MS = 10_000;

/**
 * Makes one attempt (spec 6.5), within 10 s. Checks the target again, resolves its name and checks every address. Then
 * sends the request over a kept or a new connection to one of these, and reads the answer. Follows no redirect: a 3xx
 * is a failure. A failure of the network or the receiver is an outcome; an exception is a fault of the service.
 */
export async function sendAttempt(
  target: string,
  headers: Record<string, string>,
  body: Uint8Array,
  options: AttemptOptions = {},
): Promise<AttemptOutcome> {
  try {
    const { status, text } = await sendRequest(target, headers, body, options);
    const ok = status >= 200 && status <= 299;
    return {
      ok,
      status,
      ...(!ok && { reason: `http_${status}` as const }),
      ...(text !== undefined && { text }),
    };
  } catch (error) {
    if (error instanceof AttemptFailure) return { ok: false, reason: error.reason };
    throw error;
  }
}

async function sendRequest(
  target: string,
  headers: Record<string, string>,
  body: Uint8Array,
  { policy = targetPolicy(), resolve = resolveByDns, kept }: AttemptOptions,
): Promise<Answer> {
  const deadline = performance.now() + ATTEMPT_MS;
  const checked = checkTarget(target, policy);
  if (!checked.ok) throw new AttemptFailure("target_refused");
  const { url, exempt } = checked;
  const addresses = exempt ? [bareHost(url)] : await publicAddresses(url, resolve);

  const exchange = async (connection: Connection): Promise<Answer> => {
    let reusable = false;
    try {
      const answer = await sendPost(connection, url, headers, body, deadline);
      reusable = answer.reusable;
      return answer;
    } finally {
      if (reusable && kept) kept.keep(url.origin, connection);
      else connection.close();
    }
  };
  const used = kept?.take(url.origin, addresses);
  if (used) {
    try {
      return await exchange(used);
    } catch (error) {
      // The receiver may have closed the idle connection just before the request, so the request is sent again over a
      // new connection. If the receiver did read the request, it gets the delivery twice, with the same id.
      if (!(error instanceof Unanswered)) throw error;
    }
  }
  return await exchange(await connect(url, addresses, deadline));
}
