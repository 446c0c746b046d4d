// The story's values for subscriptions and deliveries.
import { eventId, IDS, MOMENTS as at } from "./ids.ts";

const TARGET = "https://example.com/hooks/crm";

/** The events that the mill's site subscribes to. */
export const subscription = {
  id: IDS.subscription,
  event_types: ["lead.received", "deal.won"],
  target_url: TARGET,
  is_active: true,
  failure_count: 0,
  last_success_at: at.leadDelivered,
  created_at: at.subscribed,
  key_id: IDS.key,
};

/** The values of fields that the request to create the subscription leaves out. */
const defaults = { filters: null, payload: "full", header: null };

const delivery = {
  id: IDS.delivery,
  event_id: eventId("lead.received", at.leadArrived),
  subscription_id: IDS.subscription,
  target_url: TARGET,
  event: "lead.received",
  object_type: "deal",
  object_id: IDS.deal,
  object_name: "Site novo",
  state: "delivered",
  attempts: 1,
  last_status: 204,
  last_duration_ms: 81,
  last_attempt_at: at.leadDelivered,
  occurred_at: at.leadArrived,
  created_at: at.leadArrived,
};

/** A made-up secret, which belongs to no subscription. */
const SECRET = "whsec_exemplo";

/** The values of each record, by the name of its schema, in the documents of integrators and of the console. */
export const WEBHOOKS = {
  Subscription: { ...subscription, ...defaults },
  NewSubscription: { event_types: subscription.event_types, target_url: TARGET },
  CreatedSubscription: {
    id: IDS.subscription,
    event_types: subscription.event_types,
    target_url: TARGET,
    is_active: true,
    created_at: at.subscribed,
    ...defaults,
    secret: SECRET,
  },
  SubscriptionPatch: {
    filters: { changed_fields: ["stage_id", "value"] },
    payload: "ids",
    header: { name: "Authorization", value: "Bearer exemplo" },
  },
  Webhook: { ...subscription, ...defaults },
  Change: {
    id: eventId("deal.updated", at.changed),
    object_type: "deal",
    object_id: IDS.deal,
    action: "deal.updated",
    changed_fields: ["expected_close_date", "value"],
    actor: { type: "key", id: IDS.key, name: "Site" },
    occurred_at: at.changed,
  },
  Delivery: delivery,
  ShownEvent: {
    id: delivery.event_id,
    event: delivery.event,
    object_type: "deal",
    object_id: IDS.deal,
    object_name: delivery.object_name,
    changed_fields: [],
    occurred_at: at.leadArrived,
  },
  EventDelivery: { id: IDS.delivery, subscription_id: IDS.subscription, state: "delivered" },
  Attempt: {
    series: 1,
    number: 1,
    status: 204,
    duration_ms: 81,
    finished_at: at.leadDelivered,
    answer: null,
  },
  DeliveryDetail: {
    headers: [
      { name: "Content-Type", value: "application/json" },
      { name: "X-Service-Event", value: "lead.received" },
      { name: "X-Service-Delivery-Id", value: IDS.delivery },
    ],
  },
  // A delivery that is sent again waits for its next attempt.
  Redelivery: { state: "pending", attempts: 0, last_status: null, last_duration_ms: null },
  RecoveryWindow: { since: "2026-10-08T18:00:00.000Z", until: "2026-10-09T12:00:00.000Z" },
};
