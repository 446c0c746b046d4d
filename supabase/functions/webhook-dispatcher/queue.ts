import { query } from "../_shared/postgres/database.ts";
import type { EventType } from "../_shared/contract/events.ts";
import type { Outcome } from "./deliver.ts";

/** A delivery that is this dispatcher's for 60 s. */
export interface ClaimedDelivery {
  /** The database's clock at the claim, in seconds since 1970. */
  claimed_at: number;
  /** When the claim was answered, in milliseconds of `performance.now()`: later than `claimed_at` by what it took. */
  claimedAtHere: number;
  workspace_id: string;
  delivery_id: string;
  /** Fencing token: only its holder may record the outcome. */
  lease_token: string;
  event: EventType;
  target_url: string;
  /** Encrypted, as stored. */
  secret: Uint8Array;
  /** The JSON text to send; null when the database could not make it. */
  body: string | null;
}

/** What recording an outcome did; `attempt` is null where the lease had been taken over. */
export interface Recorded {
  attempt: number | null;
  state: "pending" | "delivered" | "failed" | null;
  /** Whether this outcome made the subscription inactive. */
  deactivated: boolean;
}

/**
 * Leases up to `limit` due deliveries (migration `webhook_dispatch`).
 *
 * @throws {DatabaseUnavailable} when the database is away
 */
export async function claimDeliveries(limit: number): Promise<ClaimedDelivery[]> {
  const claimed = await query<Omit<ClaimedDelivery, "claimedAtHere">>({
    name: "delivery_claim",
    text: "select * from crm.delivery_claim($1)",
    values: [limit],
  });
  const claimedAtHere = performance.now();
  return claimed.map((delivery) => ({ ...delivery, claimedAtHere }));
}

/**
 * Records the outcome of an attempt. Safe to repeat: an outcome counts once.
 *
 * @throws {DatabaseUnavailable} when the database is away
 */
export async function recordOutcome(
  delivery: ClaimedDelivery,
  outcome: Outcome,
  durationMs: number,
): Promise<Recorded> {
  const { workspace_id, delivery_id, lease_token } = delivery;
  const [recorded] = await query<Recorded>({
    name: "delivery_record",
    text: "select * from crm.delivery_record($1, $2, $3, $4, $5, $6, $7)",
    values: [workspace_id, delivery_id, lease_token, outcome.ok, outcome.status, outcome.reason, durationMs],
  }) as [Recorded];
  return recorded;
}
