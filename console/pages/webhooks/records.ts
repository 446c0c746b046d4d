// What the functions app-v1-webhooks and app-v1-deliveries reply.
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
  created_at: string;
  /** Nothing is sent: the workspace is suspended, or its plan has no API. */
  held: boolean;
  key: { id: string; name: string } | null;
  /** Seven, oldest first. */
  days: Day[];
}

/** One event for one subscription. */
export interface Delivery {
  id: string;
  subscription_id: string;
  target_url: string;
  event: EventType;
  state: "pending" | "delivered" | "failed";
  /** Attempts of the present series. */
  attempts: number;
  last_status: number | null;
  last_reason: string | null;
  last_duration_ms: number | null;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  created_at: string;
}

/** One request of a delivery. */
export interface Attempt {
  /** Grows when a delivery that had ended is sent again. */
  series: number;
  number: number;
  status: number | null;
  reason: string | null;
  duration_ms: number;
  finished_at: string;
}

/** A delivery with what its attempts send. */
export interface OpenDelivery extends Delivery {
  /** Oldest first. */
  attempts_made: Attempt[];
  /** The JSON text as it would be sent now; null where it cannot be built. */
  body: string | null;
  headers: { name: string; value: string }[];
}
