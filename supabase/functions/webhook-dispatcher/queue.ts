import { query } from "../_shared/postgres/database.ts";
import type { EventType } from "../_shared/contract/events.ts";
import type { AttemptOutcome } from "./send_attempt.ts";

/** A delivery that this dispatcher has leased for 60 s. */
export interface ClaimedDelivery {
  /** Time of the claim by the database's clock, in seconds since 1970. */
  claimed_at: number;
  /**
   * When the reply of the claim arrived, in milliseconds of `performance.now()`: `claimed_at` plus its network delay.
   */
  claimReceivedAt: number;
  workspace_id: string;
  subscription_id: string;
  delivery_id: string;
  event_id: string;
  /** Fencing token: only its holder can record the outcome. */
  lease_token: string;
  event: EventType;
  target_url: string;
  /** Encrypted, as stored. */
  secret: Uint8Array;
  /** Likewise; null unless the secret is being replaced and both sign. */
  next_secret: Uint8Array | null;
  /** The JSON text to send; null if the database could not create it. */
  body: string | null;
}

/** The result of recording an outcome. `attempt` is null if another dispatcher has claimed the delivery since. */
export interface RecordedOutcome {
  attempt: number | null;
  state: "pending" | "delivered" | "failed" | null;
  /** Whether this outcome made the subscription inactive. */
  deactivated: boolean;
}

/**
 * Leases up to `limit` due deliveries (migration `queue_claims`).
 *
 * @throws {DatabaseUnavailable} when the database is unavailable
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
 * @throws {DatabaseUnavailable} when the database is unavailable
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
 * Records the outcome of an attempt. Repeating it is safe: an outcome counts once.
 *
 * @throws {DatabaseUnavailable} when the database is unavailable
 */
export async function recordOutcome(
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
  durationMs: number,
): Promise<RecordedOutcome> {
  const { workspace_id, delivery_id, lease_token } = delivery;
  const [recorded] = await query<RecordedOutcome>({
    name: "delivery_record",
    text: "select * from crm.delivery_record($1, $2, $3, $4, $5, $6, $7)",
    values: [workspace_id, delivery_id, lease_token, outcome.ok, outcome.status, outcome.reason, durationMs],
  }) as [RecordedOutcome];
  return recorded;
}
