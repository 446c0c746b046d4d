import { query } from "../_shared/postgres/database.ts";
import type { EventType } from "../_shared/contract/events.ts";
import type { AttemptOutcome } from "./send_attempt.ts";

/** A delivery that this dispatcher has leased for 60 s. */
export interface ClaimedDelivery {
  /** Time of the claim by the database's clock, in seconds since 1970. */
  claimed_at: number;
  /** When the claim's reply arrived, in milliseconds of `performance.now()`. */
  claimReceivedAt: number;
  workspace_id: string;
  subscription_id: string;
  delivery_id: string;
  event_id: string;
  /** Fencing token, without which the outcome cannot be recorded. */
  lease_token: string;
  event: EventType;
  target_url: string;
  /** Encrypted, as stored. */
  secret: Uint8Array;
  /** The next secret, encrypted, which signs too while the secret is being replaced; null at other times. */
  next_secret: Uint8Array | null;
  /** The JSON text to send; null if the database could not create it. */
  body: string | null;
  /** The name of the subscription's own header, or null; its value is encrypted. */
  header_name: string | null;
  header_value: Uint8Array | null;
}

export interface EndedAttempt {
  delivery: ClaimedDelivery;
  outcome: AttemptOutcome;
  ms: number;
  /** SHA-256 of the body sent, in hexadecimal; undefined if nothing was sent. */
  bodyDigest?: string | undefined;
}

/**
 * The result of recording an outcome. `attempt` is null if another dispatcher has claimed the delivery in the meantime.
 */
export interface RecordedOutcome {
  attempt: number | null;
  state: "pending" | "delivered" | "failed" | "cancelled" | null;
  /** Whether this outcome made the subscription inactive. */
  deactivated: boolean;
}

const SUPERSEDED: RecordedOutcome = { attempt: null, state: null, deactivated: false };

/**
 * Leases up to `limit` due deliveries (44_queue_claims.sql).
 *
 * @throws {DatabaseUnavailable} if a retry may succeed
 */
export async function claimDeliveries(limit: number): Promise<ClaimedDelivery[]> {
  const claimed = await query<Omit<ClaimedDelivery, "claimReceivedAt">>({
    name: "delivery_claim",
    text: "select * from crm.delivery_claim($1)",
    values: [limit],
  });
  const claimReceivedAt = performance.now();
  return claimed.map((delivery) => ({ ...delivery, claimReceivedAt }));
}

/**
 * Milliseconds until the next delivery is due; null if none becomes due within `withinMs`.
 *
 * @throws {DatabaseUnavailable} if a retry may succeed
 */
export async function nextDeliveryDue(withinMs: number): Promise<number | null> {
  const [{ seconds }] = await query<{ seconds: number | null }>({
    name: "next_delivery_due",
    text: "select crm.next_delivery_due($1 * interval '1 millisecond') as seconds",
    values: [withinMs],
  }) as [{ seconds: number | null }];
  return seconds === null ? null : seconds * 1000;
}

/**
 * Records outcomes of attempts, in the order in which they ended. Safe to repeat, because an outcome counts only once.
 *
 * @returns a result for each outcome, in the same order
 * @throws {DatabaseUnavailable} if a retry may succeed; nothing is recorded then
 */
export async function recordOutcomes(ended: EndedAttempt[]): Promise<RecordedOutcome[]> {
  const outcomes = ended.map(({ delivery, outcome, ms, bodyDigest }) => {
    const { workspace_id, delivery_id, lease_token } = delivery;
    const { status, reason, text } = outcome;
    return {
      workspace_id,
      delivery_id,
      lease_token,
      status,
      reason,
      duration_ms: ms,
      answer: text,
      body_digest: bodyDigest,
    };
  });
  const rows = await query<RecordedOutcome & { lease_token: string }>({
    name: "delivery_record",
    text: "select * from crm.delivery_record($1)",
    values: [JSON.stringify(outcomes)],
  });
  const recorded = new Map(rows.map(({ lease_token, ...row }) => [lease_token, row]));
  return ended.map(({ delivery }) => recorded.get(delivery.lease_token) ?? SUPERSEDED);
}
