// The kinds of fields that a record.ts declares. The validation rules of their values are in fields.ts.
import { z } from "zod";
import { type Doc, doc } from "./doc.ts";
import * as rules from "./fields.ts";

/** Type of the column, and of the field in the record's public SQL type. */
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
 * What an empty value means. `optional`: the value may be null, in replies too. `required`: POST requires it, and null
 * is an error. `defaulted`: where it is absent on POST, or null, the field gets its default. `defaulted on create`: the
 * same on POST, but null is an error on PATCH.
 */
export type Presence = "optional" | "required" | "defaulted" | "defaulted on create";

/**
 * Who writes the column. `always`: the client, by POST and PATCH; `on create`: the client, by POST only; `on update`:
 * the client, by PATCH only; `by an action`: a verb that changes the record, such as win; `by the verb`: the verb that
 * creates the record; `by the database`: a default or a trigger, or the value is computed.
 */
export type Written =
  | "always"
  | "on create"
  | "on update"
  | "by an action"
  | "by the verb"
  | "by the database";

/** The table, within the workspace, that must have the id. `active`: the row must also be active. */
export interface Reference {
  table: string;
  active: boolean;
}

/**
 * The rows that a list leaves out unless it is asked for them, by the values of a parameter. Few rows should be among them:
 * these have an index of their own, on the workspace and the id.
 */
export interface Hiding {
  /** The value that leaves them out, as does a list without the parameter. */
  without: string;
  /** The value that shows them alone. */
  only: string;
  /** The value that shows all rows; it has no `condition`. */
  all: string;
}

/** One query parameter of a list. */
export interface Filter {
  /** Validates the text of the parameter. */
  rule: z.ZodType;
  text?: Doc | undefined;
  /** Whether a list without this parameter is an error. */
  required?: boolean | undefined;
  /** The column that must equal the value, if its name is not that of the parameter. The list uses the index of it. */
  column?: string | undefined;
  /** A function of schema `crm` that is applied to the value before the comparison. */
  through?: string | undefined;
  /** The parameter takes several values, separated by commas; the verb gets an array of them. */
  several?: boolean | undefined;
  /**
   * No two rows of a workspace have the same value. The migration of the table has a unique index of the workspace and the
   * column, without the rows that have none, and the list uses it.
   */
  unique?: true;
  /** Most rows have no value: the index of the filter leaves them out, so that creating one of them costs nothing. */
  sparse?: true;
  /**
   * The value is a bound of this timestamptz column, in place of an equality. The table needs an index on the workspace,
   * the column and the id; it may leave out the rows that have no value.
   */
  range?: { column: string; operator: ">=" | "<" } | undefined;
  /**
   * An SQL condition on row `t` for each value of the parameter, in place of an equality. It must be written in code: it
   * is not escaped.
   */
  condition?: Readonly<Record<string, string>> | undefined;
  /**
   * The value whose `condition` a partial index serves, and the range column that the index has between the workspace and
   * the id.
   */
  indexed?: { value: string; column: string } | undefined;
  /** The parameter shows rows that are left out otherwise. */
  hides?: Hiding | undefined;
  /** The value is words to search for, in place of an equality. */
  searches?: true | undefined;
}

/** Whether the list compares a column with the value, so that an index of its own serves the filter. */
export const isEquality = ({ range, condition, searches }: Filter) =>
  range === undefined && condition === undefined && searches === undefined;

/** The filter `q` of a list whose record declares what is searched. */
export const searchFilter = (text: Doc): Filter => ({ rule: rules.search(), text, searches: true });

/** One field of a record. */
export interface Field {
  readonly sql: SqlType;
  /** Validates the value in a body; null: clients cannot write the field. */
  readonly rule: z.ZodType | null;
  /** Schema of the value in a reply, when it is not null. */
  readonly shape: z.ZodType;
  readonly presence: Presence;
  readonly written: Written;
  /** Whether the field has a column. */
  readonly stored: boolean;
  /** SQL expression for the value in replies, on row `t`; null: the column. */
  readonly shownAs: string | null;
  /** The table that `crm.require_references` searches for the id. */
  readonly references: Reference | null;
  readonly filter: Filter | null;
  /** Whether the value may have more than LONG characters, so that 200 of them are too much for a page. */
  readonly long: boolean;
  /** Undefined: the common text of fields with this name applies (tools/openapi/common_fields.ts). */
  readonly text: Doc | undefined;
}

/** A text of so many characters at most is short: 200 records of such texts are a page. */
const LONG = 2048;

/** Options of every kind of field. */
export interface Options {
  text?: Doc;
  presence?: Presence;
  written?: Written;
  /** SQL expression for the value in replies, on row `t`; the column by default. */
  shownAs?: string;
  /** Makes the list filterable by the field: `true`, the text of the parameter, or further properties of the filter. */
  filter?: boolean | Doc | Partial<Filter>;
}

interface Kind {
  sql: SqlType;
  /** Whether the list can be filtered by several values of this kind at once. */
  several?: true;
  /** Absent: clients cannot write a field of this kind. */
  rule?: z.ZodType;
  shape: z.ZodType;
  stored?: false;
  long?: boolean;
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
    long: kind.long ?? false,
    filter: filter ? filterBy(kind, filter) : null,
    text,
  };
}

function filterBy(kind: Kind, filter: true | Doc | Partial<Filter>): Filter {
  const rule = kind.rule ?? kind.shape;
  const several = kind.several ? { several: true } : {};
  if (filter === true) return { rule, ...several };
  return "description" in filter ? { rule, ...several, text: filter } : { rule, ...several, ...filter };
}

/** The filter of every list whose records can be archived. */
export const ARCHIVED: Filter = {
  rule: z.enum(["false", "true", "any"])
    // As if it were absent, so that both are served by the same statement.
    .transform((value) => value === "false" ? undefined : value)
    .meta({ default: "false" }),
  text: doc(
    "false: só os que estão em uso; true: só os arquivados; any: todos. Para copiar os registros, any: archived_at diz " +
      "quais estão arquivados",
    "false: only those in use; true: only the archived ones; any: all. To copy the records, any: archived_at tells which " +
      "are archived",
  ),
  condition: { false: "t.archived_at is null", true: "t.archived_at is not null" },
  hides: { without: "false", only: "true", all: "any" },
};

/** The id of the record, generated by the database. */
export const id = () => readOnlyId();

/** The workspace of the record, always that of the key. */
export const workspaceId = () => readOnlyId();

/** A name or title: trimmed, never empty. */
export const name = (options: Options = {}, max = 255) =>
  field({ sql: "text", rule: rules.name(max), shape: z.string() }, { presence: "required", ...options });

/** Free text with at most `max` characters, stored unchanged. */
export const text = (max: number, options: Options = {}, min = 0) =>
  field({ sql: "text", rule: rules.text(max, min), shape: z.string(), long: max > LONG }, options);

/** Text that the given rule validates. */
export const textWith = (rule: z.ZodType, options: Options = {}) =>
  field({ sql: "text", rule, shape: z.string() }, options);

/** An e-mail address, in lower case. */
export const email = (options: Options = {}) => textWith(rules.email(), options);

/** One of the given words. `writing`: what clients may change it to, although they may send back any as they read it. */
export const choice = <Word extends string>(
  words: readonly [Word, ...Word[]],
  { filter, ...options }: Options = {},
  writing?: { offered: readonly Word[]; error: string },
) => {
  const shape = z.enum(words);
  const rule = writing ? z.enum(words, { error: writing.error }).meta({ enum: writing.offered }) : shape;
  const kind = { sql: "text", shape, several: true } as const;
  return { ...field({ ...kind, rule }, options), filter: filter ? filterBy(kind, filter) : null };
};

/** Text that clients cannot write. */
export const readOnlyText = (options: Options = {}) => field({ sql: "text", shape: z.string() }, options);

/** The id of another record of the workspace; `crm.require_references` checks that it exists. */
export const reference = (table: string, options: Options = {}, active = false) =>
  field({ sql: "uuid", rule: rules.uuid(), shape: rules.uuid(), references: { table, active } }, options);

/** The active member in charge; the database chooses one where the call has no owner (spec 4.1). */
export const owner = (options: Options = {}) =>
  reference("members", { presence: "defaulted", filter: true, ...options }, true);

/** An id that the verbs of the record check, in place of `crm.require_references`. */
export const idCheckedByVerb = (options: Options = {}) =>
  field({ sql: "uuid", rule: rules.uuid(), shape: rules.uuid() }, options);

/** An id that clients cannot write. */
export const readOnlyId = (options: Options = {}) =>
  field({ sql: "uuid", shape: rules.uuid() }, { presence: "required", ...options });

/** The id of a member that the verb sets, such as the author. */
export const memberId = (options: Options = {}) => readOnlyId({ written: "by the verb", ...options });

/** An amount of money (spec 1). */
export const money = (options: Options = {}) =>
  field({ sql: "numeric", rule: rules.money(), shape: z.number() }, options);

/** Largest value of the Postgres type integer. */
const MAX_INTEGER = 2_147_483_647;

/** A whole number, 0 or greater. */
export const count = (options: Options = {}) =>
  field({ sql: "integer", rule: z.int().min(0).max(MAX_INTEGER), shape: z.int() }, options);

/** A whole number that clients cannot write. */
export const readOnlyNumber = (options: Options = {}, shape: z.ZodType = z.int()) =>
  field({ sql: "integer", shape }, { presence: "required", ...options });

/** True or false. */
export const flag = (options: Options = {}) =>
  field({ sql: "boolean", rule: z.boolean(), shape: z.boolean() }, options);

/** A date without a time. */
export const date = (options: Options = {}) =>
  field({ sql: "date", rule: rules.date(), shape: z.iso.date() }, options);

/** A date and time that clients write. */
export const datetime = (options: Options = {}) =>
  field({ sql: "timestamptz", rule: rules.datetime(), shape: rules.timestamp() }, options);

/** A date and time that clients cannot write. */
export const readOnlyDatetime = (options: Options = {}) =>
  field({ sql: "timestamptz", shape: rules.timestamp() }, options);

/** The time of the record's creation or last change; the database sets it. */
export const autoTimestamp = () => readOnlyDatetime({ presence: "required" });

/** An object with the given schema, stored as JSON. */
export const object = (schema: z.ZodType, options: Options = {}) =>
  field({ sql: "jsonb", rule: schema, shape: schema, long: true }, options);

/** Fields that the client defines (spec 8). */
export const customFields = (options: Options = {}) =>
  field(
    { sql: "jsonb", rule: rules.customFields(), shape: z.record(z.string(), z.unknown()), long: true },
    options,
  );

/** A value that an SQL expression computes from row `t`. It is not stored, and clients cannot write it. */
export const computed = (sql: SqlType, expression: string, shape: z.ZodType, options: Options = {}) =>
  field({ sql, shape, stored: false }, { presence: "required", shownAs: expression, ...options });

/** The event types of a subscription. */
export const eventTypes = (rule: z.ZodType, shape: z.ZodType, options: Options = {}) =>
  field({ sql: "crm.event_type[]", rule, shape }, options);
