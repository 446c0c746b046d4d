// Converts typed text into the arguments of a verb, an SQL function of schema app. The verb checks the values.
import { InvalidArgumentError } from "commander";
import { EVENT_TYPES } from "../../supabase/functions/_shared/contract/events.ts";
import { DELIVERY_STATES } from "../../supabase/functions/api-v1-webhooks/delivery.ts";
import type { NewStage } from "../operator/verbs.ts";

const UUID = "It must be a UUID";
const NAME = "It must have 1 to 255 characters";
const EMAIL = "It must be an e-mail address";
const EVENT = `It must be one of ${EVENT_TYPES.join(", ")}`;
const MOMENT = "It must be a moment that exists, such as 2027-01-31T12:00:00Z";
const AMOUNT = "It must be an amount such as 12500.50, at most 1000000000000000";

/** What each argument of a verb must be, for error messages in the terminal. */
export const RULES: Readonly<Record<string, string>> = {
  id: UUID,
  workspace_id: UUID,
  member_id: UUID,
  deal_id: UUID,
  subscription_id: UUID,
  name: NAME,
  member_name: NAME,
  title: NAME,
  email: EMAIL,
  member_email: EMAIL,
  active_subscriptions: "The workspace has 50 active subscriptions, the maximum: deactivate one first",
  rate_limit_per_minute: "It must be a whole number from 1 to 1000000",
  stale_after_days: "It must be a whole number from 1 to 3650",
  time_zone: "It must be an IANA time zone, such as America/Sao_Paulo",
  value: AMOUNT,
  recurring_value: AMOUNT,
  expires_at: MOMENT,
  since: `${MOMENT}; for a recovery, a moment in the past`,
  until: `${MOMENT}, after --since`,
  event: EVENT,
  event_type: `${EVENT}, and the subscription must have it`,
  state: `It must be one of ${DELIVERY_STATES.join(", ")}`,
  allowed_networks: "It must be a list of at most 20 networks",
  overlap_seconds: "It must be a whole number from 0 to 604800",
};

export function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It must be true or false");
  return text === "true";
}

/** Returns a parser for a numeric argument. It accepts only digits and a point, because Number() would accept `1e3`. */
export function numberParser(field: string): (text: string) => number {
  return (text) => {
    if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError(RULES[field]!);
    return Number(text);
  };
}

export function parseScopes(text: string): string[] {
  return text.split(",").map((scope) => scope.trim());
}

/** Parses `Prospecção:pre-venda,Proposta:venda`, in order. A name may contain colons but no commas. */
export function parseStages(text: string): NewStage[] {
  return text.split(",").map((stage) => {
    const colon = stage.lastIndexOf(":");
    if (colon === -1) throw new InvalidArgumentError(describeStageForm(stage));
    return { name: stage.slice(0, colon).trim(), type: stage.slice(colon + 1).trim() };
  });
}

/** The error message for a stage that is not `<name>:<type>`. */
export function describeStageForm(stage: string): string {
  return `"${stage}" is not of the form <name>:<type>, such as Proposta:venda`;
}
