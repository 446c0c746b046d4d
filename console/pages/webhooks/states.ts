import type { Delivery, Webhook } from "./records.ts";

/** Maximum attempts of a delivery. If the last attempt fails, the subscription is stopped (spec 6.5). */
export const MAX_ATTEMPTS = 5;

/**
 * The state of a subscription. `is` is part of the name of a text in strings/; the other values fill its placeholders.
 */
export type WebhookState =
  | { is: "active"; tone: "good" }
  | { is: "failing"; tone: "waiting"; failures: number; at: string | null }
  | { is: "held_suspended" | "held_plan"; tone: "waiting" }
  | { is: "failures"; tone: "failed"; at: string | null }
  | { is: "deleted" | "key_revoked"; tone: "off"; at: string | null };

/** Whether failures stopped a subscription, so that somebody must mend the receiver or deactivate the subscription. */
export function hasStopped({ deactivated_reason }: Pick<Webhook, "deactivated_reason">): boolean {
  return deactivated_reason === "failures";
}

export function stateOfWebhook(
  webhook: Pick<
    Webhook,
    "is_active" | "held" | "failure_count" | "last_failure_at" | "deactivated_at" | "deactivated_reason"
  >,
  workspaceSuspended: boolean,
): WebhookState {
  const { is_active, held, failure_count: failures, deactivated_at, deactivated_reason: reason } = webhook;
  if (!is_active) {
    return reason === "failures"
      ? { is: reason, tone: "failed", at: deactivated_at }
      : { is: reason ?? "deleted", tone: "off", at: deactivated_at };
  }
  if (held) return { is: workspaceSuspended ? "held_suspended" : "held_plan", tone: "waiting" };
  return failures > 0
    ? { is: "failing", tone: "waiting", failures, at: webhook.last_failure_at }
    : { is: "active", tone: "good" };
}

/** What happens to waiting deliveries: sent, held until the workspace may send, or stopped until reactivation. */
export type Sending = "sends" | "held" | "stopped";

export function sendingOf({ is_active, held }: Pick<Webhook, "is_active" | "held">): Sending {
  return !is_active ? "stopped" : held ? "held" : "sends";
}

/**
 * The state of a delivery. `is` is part of the name of a text in strings/; `attempt` is the number of the next attempt.
 */
export type DeliveryState =
  | { is: "delivered"; tone: "good" }
  | { is: "failed"; tone: "failed" }
  | { is: "cancelled"; tone: "off" }
  | { is: "sending" | "held" | "stopped"; tone: "waiting" }
  | { is: "trying"; tone: "waiting"; attempt: number };

/** Returns the state of a delivery for the console. It depends on whether the subscription sends. */
export function stateOfDelivery(
  { state, attempts }: Pick<Delivery, "state" | "attempts">,
  sending: Sending,
): DeliveryState {
  if (state === "delivered") return { is: state, tone: "good" };
  if (state === "failed") return { is: state, tone: "failed" };
  if (state === "cancelled") return { is: state, tone: "off" };
  // The list and the subscription are read at different moments. If they differ, the subscription counts, because the
  // page shows the subscription's state above the list.
  if (sending !== "sends") return { is: sending, tone: "waiting" };
  return attempts === 0
    ? { is: "sending", tone: "waiting" }
    : { is: "trying", tone: "waiting", attempt: attempts + 1 };
}

/** Whether a delivery is still to be sent, now or once its subscription sends again. */
export function waits({ state }: Pick<Delivery, "state">): boolean {
  return state === "pending" || state === "held";
}

/**
 * For this long after a subscription stopped, its figures of 7 days count every waiting delivery, because the oldest
 * waiting delivery is at most a day older than the stop.
 */
const COUNTED_MS = 5 * 86_400_000;

/**
 * How many deliveries wait for an inactive subscription: `n` (or more), none, or "some" for an unknown number.
 * "cancelled": none wait, because the deactivation cancelled them.
 */
export type Waiting = "cancelled" | "none" | "some" | { n: number; orMore: boolean };

/** Counts an inactive subscription's waiting deliveries, from its figures of 7 days. `now`: milliseconds. */
export function waitingOf(
  { deactivated_reason, deactivated_at, days, days_are_partial: orMore }: Pick<
    Webhook,
    "deactivated_reason" | "deactivated_at" | "days" | "days_are_partial"
  >,
  now: number,
): Waiting {
  if (deactivated_reason === "deleted") return "cancelled";
  const isRecent = deactivated_at !== null && now - Date.parse(deactivated_at) < COUNTED_MS;
  const n = days.reduce((sum, { waiting }) => sum + waiting, 0);
  if (!isRecent || (n === 0 && orMore)) return "some";
  return n === 0 ? "none" : { n, orMore };
}
