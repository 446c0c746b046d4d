// What the operator types, made into the arguments of a verb. Whether a value is allowed is the verb's to say.
import { InvalidArgumentError } from "commander";
import type { NewStage } from "../operator/verbs.ts";

const UUID = "It must be a UUID";
const NAME = "It must have 1 to 255 characters";
const AMOUNT = "It must be an amount such as 12500.50, at most 1000000000000000";

/** What each argument of a verb must be, for a person at a terminal. */
export const RULES: Readonly<Record<string, string>> = {
  id: UUID,
  workspace_id: UUID,
  member_id: UUID,
  deal_id: UUID,
  name: NAME,
  title: NAME,
  email: "It must be an e-mail address",
  rate_limit_per_minute: "It must be a whole number from 1 to 1000000",
  stale_after_days: "It must be a whole number from 1 to 3650",
  value: AMOUNT,
  recurring_value: AMOUNT,
  expires_at: "It must be a moment that exists, such as 2027-01-31T12:00:00Z",
};

/** `true` or `false`, and nothing that only looks like one of them. */
export function boolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It must be true or false");
  return text === "true";
}

/** A number for the argument of that name, in digits and a point alone: Number() would also read `1e3`. */
export function number(field: string): (text: string) => number {
  return (text) => {
    if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError(RULES[field]!);
    return Number(text);
  };
}

/** `leads:write, pipelines:read`. */
export function scopes(text: string): string[] {
  return text.split(",").map((scope) => scope.trim());
}

/** `Prospecção:pre-venda,Proposta:venda`: in order. A name may hold colons, no commas. */
export function stages(text: string): NewStage[] {
  return text.split(",").map((stage) => {
    const colon = stage.lastIndexOf(":");
    if (colon === -1) throw new InvalidArgumentError(stageForm(stage));
    return { name: stage.slice(0, colon).trim(), type: stage.slice(colon + 1).trim() };
  });
}

/** What is said of a stage that is mistyped. */
export function stageForm(stage: string): string {
  return `"${stage}" is not of the form <name>:<type>, such as Proposta:venda`;
}
