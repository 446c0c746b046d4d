import type { Delivery, Webhook } from "./records.ts";

/** Attempts of a delivery; the failure of the last one stops the subscription (spec 6.5). */
export const MAX_ATTEMPTS = 5;

/** The state of a subscription: a key of the strings, and what the sentence names. */
export type WebhookState =
  | { is: "active"; tone: "good" }
  | { is: "failing"; tone: "waiting"; failures: number; at: string | null }
  | { is: "stopped"; tone: "failed"; failures: number; at: string | null }
  | { is: "held_suspended" | "held_plan"; tone: "waiting" }
  | { is: "deactivated"; tone: "off" };

/**
 * Tells a subscription that failures stopped from one that a person or the end of its key deactivated: only the former
 * had failures enough when it stopped.
 */
export function stateOfWebhook(
  webhook: Pick<Webhook, "is_active" | "held" | "failure_count" | "last_failure_at">,
  workspaceSuspended: boolean,
): WebhookState {
  const { is_active, held, failure_count: failures, last_failure_at: at } = webhook;
  if (!is_active) {
    return failures >= MAX_ATTEMPTS
      ? { is: "stopped", tone: "failed", failures, at }
      : { is: "deactivated", tone: "off" };
  }
  if (held) return { is: workspaceSuspended ? "held_suspended" : "held_plan", tone: "waiting" };
  return failures > 0 ? { is: "failing", tone: "waiting", failures, at } : { is: "active", tone: "good" };
}

/** What becomes of deliveries that wait: they are sent, kept until the workspace is back, or until reactivation. */
export type Sending = "sends" | "held" | "stopped";

/** Whether a subscription sends. */
export function sendingOf({ is_active, held }: Pick<Webhook, "is_active" | "held">): Sending {
  return !is_active ? "stopped" : held ? "held" : "sends";
}

/** The state of a delivery. `attempt`: the one that comes next. */
export type DeliveryState =
  | { is: "delivered"; tone: "good" }
  | { is: "failed"; tone: "failed" }
  | { is: "sending"; tone: "waiting" }
  | { is: "trying"; tone: "waiting"; attempt: number }
  | { is: "held"; tone: "waiting" }
  | { is: "stopped"; tone: "off" };

/** What a person calls the state of a delivery, given whether its subscription sends. */
export function stateOfDelivery(
  { state, attempts }: Pick<Delivery, "state" | "attempts">,
  sending: Sending,
): DeliveryState {
  if (state === "delivered") return { is: "delivered", tone: "good" };
  if (state === "failed") return { is: "failed", tone: "failed" };
  if (sending === "stopped") return { is: "stopped", tone: "off" };
  if (sending === "held") return { is: "held", tone: "waiting" };
  return attempts === 0
    ? { is: "sending", tone: "waiting" }
    : { is: "trying", tone: "waiting", attempt: attempts + 1 };
}
