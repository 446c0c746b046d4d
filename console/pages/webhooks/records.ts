// Types of the replies of app-v1-webhooks and app-v1-deliveries.
import type { z } from "zod";
import type {
  Redeliveries as RedeliveriesSchema,
} from "../../../supabase/functions/api-v1-webhooks/delivery.ts";
import type { DeliveryDetail, DeliveryList } from "../../../supabase/functions/app-v1-deliveries/schema.ts";
import type { EventType } from "./events.ts";

/** Deliveries of one day of the workspace, by outcome. */
export interface Day {
  day: string;
  delivered: number;
  failed: number;
  waiting: number;
}

export interface Webhook {
  id: string;
  event_types: EventType[];
  target_url: string;
  is_active: boolean;
  /** Failed attempts since the last success. */
  failure_count: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  /** Since when too many deliveries wait, so that new events get theirs later; null if the queue has room. */
  behind_since: string | null;
  created_at: string;
  /** This and `deactivated_reason` are null while the subscription is active. */
  deactivated_at: string | null;
  deactivated_reason: "deleted" | "failures" | "key_revoked" | null;
  /** Whether nothing is sent, because the workspace is suspended or its plan has no API. */
  held: boolean;
  /** Until when deliveries are signed with the old secret too; null if there is only one secret. */
  old_secret_until: string | null;
  /** The filters for its events; null if it gets every event of its types. */
  filters: Partial<Record<"pipeline_id" | "stage_id" | "owner_id" | "changed_fields", string[]>> | null;
  payload: "full" | "ids";
  /** The extra header of each delivery, without its value, which is a secret. */
  header: { name: string } | null;
  /** The name that a person gave the subscription. */
  name: string | null;
  key: { id: string; name: string } | null;
  days: Day[];
  /** Whether there may be more deliveries than `days` counts. */
  days_are_partial: boolean;
  /** Figures of the attempts of its newest deliveries in the days that `days` counts. */
  recent: {
    attempts: number;
    /** From 0 to 1; null without attempts. */
    success_rate: number | null;
    median_ms: number | null;
    p95_ms: number | null;
  };
}

/** One event for one subscription. `attempts` starts again at 0 when an ended delivery is sent again. */
export type Delivery = z.output<typeof DeliveryList>["data"][number];

/** A delivery with its attempts, oldest first, its headers and its body. */
export type OpenDelivery = z.output<typeof DeliveryDetail>;

export type Redeliveries = z.output<typeof RedeliveriesSchema>;

export type Attempt = OpenDelivery["attempts_made"][number];
