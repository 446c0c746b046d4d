// Types of the replies of app-v1-webhooks and app-v1-deliveries.
import type { z } from "zod";
import type {
  Redeliveries as RedeliveriesSchema,
} from "../../../supabase/functions/api-v1-webhooks/delivery.ts";
import type { Recovery } from "../../../supabase/functions/api-v1-webhooks/operations.ts";
import type { DeliveryDetail, DeliveryList } from "../../../supabase/functions/app-v1-deliveries/schema.ts";
import type * as webhooks from "../../../supabase/functions/app-v1-webhooks/schema.ts";

export type Webhook = z.output<typeof webhooks.Webhook>;
/** Deliveries of one day of the workspace, by outcome. */
export type Day = Webhook["days"][number];
/** The reply to a recovery; with `has_more`, the next call begins at `next_since`. */
export type Recovered = z.output<typeof Recovery>;

/** One event for one subscription. `attempts` starts again at 0 when an ended delivery is sent again. */
export type Delivery = z.output<typeof DeliveryList>["data"][number];

/** A delivery with its attempts, oldest first, its headers and its body. */
export type OpenDelivery = z.output<typeof DeliveryDetail>;

export type Redeliveries = z.output<typeof RedeliveriesSchema>;

export type Attempt = OpenDelivery["attempts_made"][number];
