// What the operator types, made into what the operations take. The rules are the API's own; the words are for a person
// at a terminal.
import { InvalidArgumentError } from "commander";
import type { z } from "zod";
import * as fields from "../supabase/functions/_shared/contract/fields.ts";
import { isWellFormedScope } from "../supabase/functions/_shared/contract/scopes.ts";
import type { NewStage } from "../operator/pipelines.ts";

const STAGE_TYPE_MAX_LENGTH = 40;

function parser<Output>(schema: z.ZodType<Output>, rule: string): (text: string) => Output {
  return (text) => {
    const { success, data } = schema.safeParse(text);
    if (!success) throw new InvalidArgumentError(rule);
    return data;
  };
}

export const uuid = parser(fields.uuid(), "It must be a UUID");
export const name = parser(fields.name(), "It must have 1 to 255 characters");
export const email = parser(fields.email(), "It must be an e-mail address");
export const datetime = parser(
  fields.datetime(),
  "It must be a moment that exists, such as 2027-01-31T12:00:00Z",
);

/** `true` or `false`, and nothing that only looks like one of them. */
export function boolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It must be true or false");
  return text === "true";
}

/** A whole number, both bounds included. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (min <= value && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}`);
  };
}

/** `12500.50`: not negative, digits and a point alone. */
export function amount(text: string): number {
  const { success, data } = fields.money().safeParse(/^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);
  if (!success) {
    throw new InvalidArgumentError("It must be an amount such as 12500.50, at most 1000000000000000");
  }
  return data;
}

/** `leads:write,pipelines:read`: at least one, each once. */
export function scopes(text: string): string[] {
  const list = [...new Set(text.split(",").map((scope) => scope.trim()))];
  const malformed = list.find((scope) => !isWellFormedScope(scope));
  if (malformed === undefined) return list;
  throw new InvalidArgumentError(
    `"${malformed}" is not of the form <resource>:read, <resource>:write or <resource>:manage`,
  );
}

/** `Prospecção:pre-venda,Proposta:venda`: in order. A name may hold colons, no commas. */
export function stages(text: string): NewStage[] {
  return text.split(",").map((stage) => {
    const colon = stage.lastIndexOf(":");
    const type = stage.slice(colon + 1).trim();
    if (colon === -1 || type === "" || fields.countCharacters(type) > STAGE_TYPE_MAX_LENGTH) {
      throw new InvalidArgumentError(
        `"${stage}" is not of the form <name>:<type>, such as Proposta:venda`,
      );
    }
    const parsed = fields.name().safeParse(stage.slice(0, colon));
    if (!parsed.success) {
      throw new InvalidArgumentError(`The name in "${stage}" must have 1 to 255 characters`);
    }
    return { name: parsed.data, type };
  });
}
