// The kinds of fields that records are declared with (record.ts). The rules of their values are in fields.ts.
import { z } from "zod";
import type { Doc } from "./doc.ts";
import * as rules from "./fields.ts";

/** Type of a column, and of the field in the record's public SQL type. */
export type SqlType =
  | "text"
  | "uuid"
  | "numeric"
  | "integer"
  | "boolean"
  | "date"
  | "timestamptz"
  | "jsonb"
  | "json"
  | "crm.event_type[]";

/**
 * What an empty value means. `optional`: null, in replies too. `required`: POST needs it, null is refused.
 * `defaulted`: absent on POST, or null, it gets its default. `defaulted on create`: the same on POST; PATCH refuses null.
 */
export type Presence = "optional" | "required" | "defaulted" | "defaulted on create";

/**
 * Who writes the column. `always`: a client, by POST and PATCH; `on create`, `on update`: by one of them;
 * `by an action`: a verb that changes the record; `by the verb`: the one that creates it; `by the database`: a default,
 * a trigger, or nobody, because the value is computed.
 */
export type Written =
  | "always"
  | "on create"
  | "on update"
  | "by an action"
  | "by the verb"
  | "by the database";

/** What an id must be of: a table of the workspace; `active`: its row must also be in use. */
export interface Reference {
  table: string;
  active: boolean;
}

/** One query parameter of a list. */
export interface Filter {
  /** The rule of the parameter's text. */
  rule: z.ZodType;
  text?: Doc | undefined;
  /** Whether the list is refused without it. */
  required?: boolean | undefined;
  /** The column that must equal the value, where it has another name than the parameter. Its index serves the list. */
  column?: string | undefined;
  /** A function of schema `crm` that the value goes through before it is compared. */
  through?: string | undefined;
  /**
   * In the place of an equality: SQL on row `t` with the arguments in `p_args`, planned for the values of each call; for
   * each value of the parameter where they differ. Code, never input.
   */
  condition?: string | Readonly<Record<string, string>> | undefined;
}

/** One field of a record. */
export interface Field {
  readonly sql: SqlType;
  /** What a body may hold; null: no client writes it. */
  readonly rule: z.ZodType | null;
  /** What a reply holds, where it is not null. */
  readonly shape: z.ZodType;
  readonly presence: Presence;
  readonly written: Written;
  /** Whether it is a column. */
  readonly stored: boolean;
  /** SQL of the value shown, on row `t`; null: the column itself. */
  readonly shownAs: string | null;
  /** The records that its id is checked against (`crm.check_references`). */
  readonly references: Reference | null;
  readonly filter: Filter | null;
  /** Undefined: the text that all fields of this name share (openapi/common_fields.ts). */
  readonly text: Doc | undefined;
}

/** What a declaration may say of any field. */
export interface Options {
  text?: Doc;
  presence?: Presence;
  written?: Written;
  /** SQL of the value shown, on row `t`, where that is not the column itself. */
  shownAs?: string;
  /** True, or its text, or more: the list can be filtered by it. */
  filter?: boolean | Doc | Partial<Filter>;
}

interface Kind {
  sql: SqlType;
  /** Absent: no client writes a field of this kind. */
  rule?: z.ZodType;
  shape: z.ZodType;
  stored?: false;
  references?: Reference;
}

function field(kind: Kind, options: Options): Field {
  const { text, filter, presence = "optional" } = options;
  return {
    sql: kind.sql,
    rule: kind.rule ?? null,
    shape: kind.shape,
    presence,
    written: options.written ?? (kind.rule ? "always" : "by the database"),
    stored: kind.stored ?? true,
    shownAs: options.shownAs ?? null,
    references: kind.references ?? null,
    filter: filter ? filterBy(kind, filter) : null,
    text,
  };
}

function filterBy(kind: Kind, filter: true | Doc | Partial<Filter>): Filter {
  const rule = kind.rule ?? kind.shape;
  if (filter === true) return { rule };
  return "description" in filter ? { rule, text: filter } : { rule, ...filter };
}

/** The record's own id, made by the database. */
export const id = () => shownId();

/** The workspace, always that of the key. */
export const workspaceId = () => shownId();

/** A name or title: trimmed, never empty. */
export const name = (options: Options = {}, max = 255) =>
  field({ sql: "text", rule: rules.name(max), shape: z.string() }, { presence: "required", ...options });

/** Free text of at most so many characters, kept as sent. */
export const text = (max: number, options: Options = {}, min = 0) =>
  field({ sql: "text", rule: rules.text(max, min), shape: z.string() }, options);

/** Text with a rule of its own. */
export const textBy = (rule: z.ZodType, options: Options = {}) =>
  field({ sql: "text", rule, shape: z.string() }, options);

/** An e-mail address, in lower case. */
export const email = (options: Options = {}) => textBy(rules.email(), options);

/** One of some words. */
export const choice = <Word extends string>(words: readonly [Word, ...Word[]], options: Options = {}) =>
  field({ sql: "text", rule: z.enum(words), shape: z.enum(words) }, options);

/** Text that no client writes. */
export const shownText = (options: Options = {}) => field({ sql: "text", shape: z.string() }, options);

/** The id of another record of the workspace, which `crm.check_references` looks for. */
export const reference = (table: string, options: Options = {}, active = false) =>
  field({ sql: "uuid", rule: rules.uuid(), shape: rules.uuid(), references: { table, active } }, options);

/** The member in charge: an active one, chosen by the database where the call names nobody (spec 4.1). */
export const owner = (options: Options = {}) =>
  reference("members", { presence: "defaulted", filter: true, ...options }, true);

/** An id that the record's verbs check themselves. */
export const ownId = (options: Options = {}) =>
  field({ sql: "uuid", rule: rules.uuid(), shape: rules.uuid() }, options);

/** An id that no client writes. */
export const shownId = (options: Options = {}) =>
  field({ sql: "uuid", shape: rules.uuid() }, { presence: "required", ...options });

/** A member that the verb names, such as an author. */
export const memberId = (options: Options = {}) => shownId({ written: "by the verb", ...options });

/** An amount of money (spec 1). */
export const money = (options: Options = {}) =>
  field({ sql: "numeric", rule: rules.money(), shape: z.number() }, options);

/** Largest value of Postgres' integer. */
const MAX_INTEGER = 2_147_483_647;

/** A whole number, 0 or greater. */
export const count = (options: Options = {}) =>
  field({ sql: "integer", rule: z.int().min(0).max(MAX_INTEGER), shape: z.int() }, options);

/** A whole number that no client writes. */
export const shownNumber = (options: Options = {}, shape: z.ZodType = z.int()) =>
  field({ sql: "integer", shape }, { presence: "required", ...options });

/** True or false. */
export const flag = (options: Options = {}) =>
  field({ sql: "boolean", rule: z.boolean(), shape: z.boolean() }, options);

/** A day. */
export const date = (options: Options = {}) =>
  field({ sql: "date", rule: rules.date(), shape: z.iso.date() }, options);

/** A moment that a client writes. */
export const datetime = (options: Options = {}) =>
  field({ sql: "timestamptz", rule: rules.datetime(), shape: rules.timestamp() }, options);

/** A moment that the database keeps. */
export const moment = (options: Options = {}) =>
  field({ sql: "timestamptz", shape: rules.timestamp() }, options);

/** When the record was created, or last changed. */
export const createdAt = () => moment({ presence: "required" });

/** An object with a schema of its own, kept as JSON. */
export const object = (schema: z.ZodType, options: Options = {}) =>
  field({ sql: "jsonb", rule: schema, shape: schema }, options);

/** The integrator's own fields (spec 8). */
export const customFields = (options: Options = {}) =>
  field({ sql: "jsonb", rule: rules.customFields(), shape: z.record(z.string(), z.unknown()) }, options);

/** A value that SQL computes of row `t`: never stored, never sent. */
export const computed = (sql: SqlType, expression: string, shape: z.ZodType, options: Options = {}) =>
  field({ sql, shape, stored: false }, { presence: "required", shownAs: expression, ...options });

/** The events of a subscription, as the database's own type. */
export const eventTypes = (rule: z.ZodType, shape: z.ZodType, options: Options = {}) =>
  field({ sql: "crm.event_type[]", rule, shape }, options);
