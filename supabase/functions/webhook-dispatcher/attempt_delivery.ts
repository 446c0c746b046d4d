import { sha256 } from "../_shared/runtime/sha256.ts";
import { headerOf } from "../_shared/webhooks/secret.ts";
import { type AttemptOutcome, sendAttempt } from "./send_attempt.ts";
import type { KeptConnections } from "./kept_connections.ts";
import { decryptCached } from "./secret_cache.ts";
import { type ClaimedDelivery, type EndedAttempt, type RecordedOutcome, recordOutcomes } from "./queue.ts";
import { recordTogether } from "./recorder.ts";
import { signedHeaders } from "./sign.ts";
import { withoutSecrets } from "./without_secrets.ts";
import { wasSent } from "./failure.ts";

const MAX_BODY_BYTES = 256 * 1024;
/**
 * Milliseconds to wait before each retry of recording an outcome. An attempt without a recorded outcome is repeated.
 */
const RECORD_WAITS_MS = [1_000, 5_000];

export type AttemptResult =
  | { outcome: AttemptOutcome; recorded: RecordedOutcome; ms: number }
  /** A fault of the service; nothing is recorded. */
  | { error: string };

/**
 * Makes one attempt for a claimed delivery and records its outcome. Never throws. A fault of the service, such as an
 * unavailable database or a secret that does not decrypt, is not a failure of the receiver. After a fault nothing is
 * recorded, and the attempt is repeated once the lease has expired.
 *
 * @param kept connections of earlier attempts, which this attempt may reuse
 */
export async function attemptDelivery(
  delivery: ClaimedDelivery,
  kept?: KeptConnections,
): Promise<AttemptResult> {
  const started = performance.now();
  try {
    const { outcome, bodyDigest } = await signAndSend(delivery, kept);
    const ms = Math.round(performance.now() - started);
    return { outcome, recorded: await recordWithRetries({ delivery, outcome, ms, bodyDigest }), ms };
  } catch (error) {
    return { error: String(error) };
  }
}

async function signAndSend(
  delivery: ClaimedDelivery,
  kept?: KeptConnections,
): Promise<Pick<EndedAttempt, "outcome" | "bodyDigest">> {
  if (delivery.body === null) {
    throw new Error("The database could not create the body; its log has the reason");
  }
  const { subscription_id, next_secret } = delivery;
  const secret = await decryptCached(delivery.secret, subscription_id);
  const nextSecret = next_secret && await decryptCached(next_secret, subscription_id);
  const ownHeader = await decryptOwnHeader(delivery);
  const body = new TextEncoder().encode(delivery.body);
  if (body.length > MAX_BODY_BYTES) return { outcome: { ok: false, reason: "body_too_large" } };
  const headers = signedHeaders({
    event: delivery.event,
    eventId: delivery.event_id,
    deliveryId: delivery.delivery_id,
    body,
    timestamp: Math.floor(databaseTime(delivery)),
    secret,
    nextSecret,
  });
  const outcome = await sendAttempt(
    delivery.target_url,
    { ...ownHeader, ...headers },
    body,
    kept && { kept },
  );
  if (outcome.text !== undefined) {
    const secrets = [secret, ...(nextSecret ? [nextSecret] : []), ...Object.values(ownHeader)];
    outcome.text = withoutSecrets(outcome.text, secrets);
  }
  return { outcome, bodyDigest: wasSent(outcome) ? sha256(body) : undefined };
}

/** The header that the subscription adds for its receiver, decrypted; empty without such a header. */
async function decryptOwnHeader(
  { subscription_id, header_name, header_value }: ClaimedDelivery,
): Promise<Record<string, string>> {
  if (header_name === null || header_value === null) return {};
  return { [header_name]: await decryptCached(header_value, headerOf(subscription_id)) };
}

/**
 * Seconds since 1970 by the database's clock, because receivers check the timestamp and this machine's clock may be
 * wrong.
 */
function databaseTime({ claimed_at, claimReceivedAt }: ClaimedDelivery): number {
  return claimed_at + (performance.now() - claimReceivedAt) / 1000;
}

async function recordWithRetries(ended: EndedAttempt): Promise<RecordedOutcome> {
  try {
    return await recordTogether(ended);
  } catch {
    // Retry this outcome alone: an outcome that can never be recorded must not block the others.
  }
  let failure: unknown;
  for (const wait of RECORD_WAITS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      const [recorded] = await recordOutcomes([ended]) as [RecordedOutcome];
      return recorded;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
