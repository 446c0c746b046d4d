import { log } from "../_shared/runtime/log.ts";
import { deliver, type Outcome } from "./deliver.ts";
import { openSecret } from "./opened_secrets.ts";
import { type ClaimedDelivery, recordOutcome } from "./queue.ts";
import { signedHeaders } from "./sign.ts";

const MAX_BODY_BYTES = 256 * 1024;
/** Waits before each try to record, in milliseconds: the outcome of a request that was made is worth some patience. */
const RECORD_WAITS_MS = [0, 1_000, 5_000];

/**
 * Makes one attempt at a claimed delivery and records what it came to. Never throws. What is our own fault (a secret
 * that cannot be opened, a database that is away) is not held against the receiver: nothing is recorded, the lease
 * runs out, and the attempt is made again.
 */
export async function attempt(delivery: ClaimedDelivery): Promise<void> {
  const { workspace_id, delivery_id, event } = delivery;
  const started = performance.now();
  try {
    const outcome = await send(delivery);
    const ms = Math.round(performance.now() - started);
    const recorded = await record(delivery, outcome, ms);
    log("webhook_attempt", { workspace_id, delivery_id, webhook_event: event, ...outcome, ...recorded, ms });
  } catch (error) {
    log("webhook_attempt_abandoned", {
      workspace_id,
      delivery_id,
      webhook_event: event,
      error: String(error),
    });
  }
}

async function send(delivery: ClaimedDelivery): Promise<Outcome> {
  if (delivery.body === null) {
    throw new Error("The body could not be made; the database's log has the reason");
  }
  const secret = await openSecret(delivery.secret);
  const body = new TextEncoder().encode(delivery.body);
  if (body.length > MAX_BODY_BYTES) return { ok: false, reason: "body_too_large" };
  const headers = signedHeaders({
    event: delivery.event,
    deliveryId: delivery.delivery_id,
    body,
    timestamp: Math.floor(databaseTime(delivery)),
    secret,
  });
  return await deliver(delivery.target_url, headers, body);
}

/** Seconds since 1970, by the clock that keeps the schedule: this machine's may be wrong, and receivers check the time. */
function databaseTime({ claimed_at, claimedAtHere }: ClaimedDelivery): number {
  return claimed_at + (performance.now() - claimedAtHere) / 1000;
}

async function record(delivery: ClaimedDelivery, outcome: Outcome, ms: number) {
  let failure: unknown;
  for (const wait of RECORD_WAITS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      return await recordOutcome(delivery, outcome, ms);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
