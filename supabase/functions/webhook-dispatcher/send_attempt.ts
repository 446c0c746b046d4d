import { checkTarget } from "../_shared/webhooks/target.ts";
import { bareHost, type TargetPolicy, targetPolicy } from "../_shared/webhooks/target_policy.ts";
import { connect } from "./connect.ts";
import { sendPost } from "./send_post.ts";
import { AttemptFailure, type FailureReason } from "./failure.ts";
import { publicAddresses, resolveByDns, type Resolver } from "./resolve.ts";

/** The outcome of one attempt: `status` if the receiver answered, `reason` if the attempt failed. */
export interface AttemptOutcome {
  ok: boolean;
  status?: number;
  reason?: FailureReason | `http_${number}`;
}

/** Dependencies of an attempt; the policy of this process and its DNS servers by default. */
export interface AttemptOptions {
  policy?: TargetPolicy;
  resolve?: Resolver;
}

const ATTEMPT_MS = 10_000;

/**
 * Makes one attempt (spec 6.5): checks the target again, resolves it, checks every address, connects to a checked
 * address, sends the request, and reads the status. It takes at most 10 s. Redirects are not followed: a 3xx is a
 * failure. Failures of the network and of the receiver are outcomes; an exception is a fault of the service.
 */
export async function sendAttempt(
  target: string,
  headers: Record<string, string>,
  body: Uint8Array,
  options: AttemptOptions = {},
): Promise<AttemptOutcome> {
  try {
    const status = await sendRequest(target, headers, body, options);
    const ok = status >= 200 && status <= 299;
    return ok ? { ok, status } : { ok, status, reason: `http_${status}` };
  } catch (error) {
    if (error instanceof AttemptFailure) return { ok: false, reason: error.reason };
    throw error;
  }
}

async function sendRequest(
  target: string,
  headers: Record<string, string>,
  body: Uint8Array,
  { policy = targetPolicy(), resolve = resolveByDns }: AttemptOptions,
): Promise<number> {
  const deadline = performance.now() + ATTEMPT_MS;
  const checked = checkTarget(target, policy);
  if (!checked.ok) throw new AttemptFailure("target_refused");
  const { url, exempt } = checked;
  const addresses = exempt ? [bareHost(url)] : await publicAddresses(url, resolve);
  const connection = await connect(url, addresses, deadline);
  try {
    return await sendPost(connection, url, headers, body, deadline);
  } finally {
    connection.close();
  }
}
