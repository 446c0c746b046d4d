// What the functions app-v1-webhooks and app-v1-deliveries reply.
import type { z } from "zod";
import type { DeliveryDetail, DeliveryList } from "../../../supabase/functions/app-v1-deliveries/schema.ts";
import type { EventType } from "./events.ts";

/** What became of the deliveries of one UTC day. */
export interface Day {
  day: string;
  delivered: number;
  failed: number;
  waiting: number;
}

/** A subscription. */
export interface Webhook {
  id: string;
  event_types: EventType[];
  target_url: string;
  is_active: boolean;
  /** Failed attempts since the last success. */
  failure_count: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  /** Since then its events wait outside the queue, because too many deliveries wait; null normally. */
  behind_since: string | null;
  created_at: string;
  /** Both null while it is active. */
  deactivated_at: string | null;
  deactivated_reason: "deleted" | "failures" | "key_revoked" | null;
  /** Nothing is sent: the workspace is suspended, or its plan has no API. */
  held: boolean;
  /** Until then the old secret signs, and the new one beside it; null if there is one secret. */
  old_secret_until: string | null;
  key: { id: string; name: string } | null;
  /** Seven, oldest first. */
  days: Day[];
  /** More deliveries are waiting, perhaps, than the days count. */
  days_are_partial: boolean;
}

/** One event for one subscription. `attempts`: those of the present series. */
export type Delivery = z.output<typeof DeliveryList>["data"][number];

/** A delivery with its attempts, oldest first, and what they send. */
export type OpenDelivery = z.output<typeof DeliveryDetail>;

/** One request of a delivery. Its series grows when a delivery that had ended is sent again. */
export type Attempt = OpenDelivery["attempts_made"][number];
