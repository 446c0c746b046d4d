import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { text, timestamp, uuid } from "../_shared/contract/fields.ts";
import { withCode } from "../_shared/http/validation.ts";
import { EVENT_TYPES, isEventType } from "../_shared/contract/events.ts";
import { judgeTarget } from "../_shared/webhooks/target.ts";
import { subscriptionFields } from "./docs.ts";

const eventType = () => z.enum(EVENT_TYPES);

const knownEvent = () =>
  z.string()
    .refine(isEventType, withCode("invalid_event_type", `Deve ser um de ${EVENT_TYPES.join(", ")}`))
    .meta({ enum: [...EVENT_TYPES] });

const publicTarget = () =>
  text(2048, 1).pipe(
    z.string().superRefine((url, context) => {
      const judged = judgeTarget(url);
      if (judged.ok) return;
      context.addIssue({
        code: "custom",
        params: { code: "invalid_target_url" },
        message: judged.message,
      });
    }),
  ).meta({ format: "uri" });

/** Input of POST webhooks (spec 4.5). An event that is named twice is subscribed once. */
export const NewSubscription = z.object({
  event_types: z.array(knownEvent()).min(1).transform((events) => [...new Set(events)]),
  target_url: publicTarget(),
}).meta({
  id: "NewSubscription",
  ...doc("Uma assinatura a criar", "A subscription to create"),
  fields: subscriptionFields,
});

/** A subscription as the list shows it: all of spec 2.6 but the secret. */
export const Subscription = z.object({
  id: uuid(),
  event_types: z.array(eventType()),
  target_url: z.string(),
  is_active: z.boolean(),
  failure_count: z.int(),
  last_success_at: timestamp().nullable(),
  last_failure_at: timestamp().nullable(),
  created_at: timestamp(),
}).meta({
  id: "Subscription",
  ...doc("Uma assinatura de webhook", "A webhook subscription"),
  fields: subscriptionFields,
});

/** Not paginated (spec 4.5). */
export const SubscriptionList = z.object({ data: z.array(Subscription) });

/** What a new subscription is answered with: the only time its secret is shown. */
export const CreatedSubscription = Subscription
  .pick({ id: true, event_types: true, target_url: true, is_active: true, created_at: true })
  .extend({ secret: z.string() })
  .meta({
    id: "CreatedSubscription",
    ...doc("A nova assinatura, com o segredo", "The new subscription, with its secret"),
    fields: subscriptionFields,
  });
