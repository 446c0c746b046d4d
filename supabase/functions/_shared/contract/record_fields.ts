// The kinds of fields that a record.ts can declare. fields.ts has the validation rules of their values.
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
  | "text[]"
  | "crm.event_type[]";

/**
 * What an absent or null value means. `optional`: the value may be null, also in replies. `required`: POST requires the
 * value, and null is an error. `defaulted`: null, or on POST also an absent value, sets the field to its default.
 * `defaulted on create`: like `defaulted` on POST, but null is an error on PATCH.
 */
export type Presence = "optional" | "required" | "defaulted" | "defaulted on create";

/**
 * Who writes the column. `always`: the client by POST and PATCH; `on create`: the client by POST; `on update`: the
 * client by PATCH; `by an action`: a verb such as win; `by the verb`: the verb that creates the record; `by the
 * database`: a default, a trigger or a computed value.
 */
export type Written =
  | "always"
  | "on create"
  | "on update"
  | "by an action"
  | "by the verb"
  | "by the database";

/** The table in which the id must exist, within the workspace. `active`: the row must also be active. */
export interface Reference {
  table: string;
  active: boolean;
}

/**
 * The values of a parameter for rows that lists hide by default. There should be few hidden rows: a partial index on
 * the workspace and the id holds them.
 */
export interface Hiding {
  /** The value that hides these rows, as a list without the parameter does. */
  without: string;
  /** The value that shows only these rows. */
  only: string;
  /** The value that shows all rows; it has no `condition`. */
  all: string;
}

export interface Filter {
  rule: z.ZodType;
  text?: Doc | undefined;
  /** Whether each call of the list needs this parameter or a filter that has `ofDeal`. */
  required?: boolean | undefined;
  /** The column of the record's deal that must equal the value; undefined: a column of the record itself. */
  ofDeal?: "company_id" | "contact_id" | undefined;
  /** The record's column that must equal the value, if its name is not the parameter's. The list uses its index. */
  column?: string | undefined;
  /** A function of schema `crm` to apply to the value before the comparison. */
  through?: string | undefined;
  /** The parameter takes several values, separated by commas; the verb gets an array. */
  several?: boolean | undefined;
  /**
   * No two rows of a workspace have the same value. The list uses the table's unique index on the workspace and the
   * column; this index leaves out rows without a value.
   */
  unique?: true;
  /** Most rows have no value. The filter's index omits these rows, so that creating them needs no index entry. */
  sparse?: true;
  /**
   * The value is a lower or upper bound for this timestamptz column. The table needs an index on the workspace, the
   * column and the id, which may leave out rows without a value.
   */
  range?: { column: string; operator: ">=" | "<" } | undefined;
  /**
   * An SQL condition on row `t` for each value, instead of an equality. It is not escaped, so it must be a constant.
   */
  condition?: Readonly<Record<string, string>> | undefined;
  /** The value whose `condition` has a partial index, and the index's column between the workspace and the id. */
  indexed?: { value: string; column: string } | undefined;
  /** The parameter shows rows that lists leave out by default. */
  hides?: Hiding | undefined;
  /** The parameter lists tags, or values of custom fields. The record must have all of them (25_value_lists.sql). */
  inValues?: true | undefined;
  searches?: true | undefined;
}

/** Whether the filter compares a column with the value for equality, and therefore has an index of its own. */
export const isEquality = ({ range, condition, searches, ofDeal, inValues }: Filter) =>
  [range, condition, searches, ofDeal, inValues].every((property) => property === undefined);

/** A filter by a column of the record's deal. */
export const dealFilter = (ofDeal: "company_id" | "contact_id", text: Doc): Filter => ({
  rule: rules.uuid(),
  text,
  ofDeal,
});

/** A filter for rows whose time in `column` is at or after the value. */
export const since = (column: string, portuguese: string, english: string): Filter => ({
  rule: rules.datetime(),
  text: doc(portuguese, english),
  range: { column, operator: ">=" },
});

/** A filter for rows whose time in `column` is before the value. */
export const before = (column: string, portuguese: string, english: string): Filter => ({
  ...since(column, portuguese, english),
  range: { column, operator: "<" },
});

/** A filter for rows whose day in `column` is the value or later, and one for those whose day is earlier. */
export const daySince = (...text: Parameters<typeof since>): Filter => ({
  ...since(...text),
  rule: rules.date(),
});
export const dayBefore = (...text: Parameters<typeof since>): Filter => ({
  ...before(...text),
  rule: rules.date(),
});

export const TAG: Filter = {
  rule: rules.tag(),
  several: true,
  inValues: true,
  text: doc(
    "Só os que têm todas estas etiquetas, separadas por vírgulas, sem distinguir maiúsculas",
    "Only those with all of these tags, separated by commas, ignoring case",
  ),
};

export const CUSTOM: Filter = {
  rule: rules.customFilter(),
  inValues: true,
  text: doc(
    "Só os que têm este valor no campo definido, como custom[segmento]=padaria; para número, dinheiro e data também um " +
      "intervalo, custom[lojas][gte]=2 e custom[lojas][lte]=9",
    "Only those with this value in the defined field, as custom[segment]=bakery; for numbers, amounts and dates also a " +
      "range, custom[shops][gte]=2 and custom[shops][lte]=9",
  ),
};

/** The filter `q` of a record that declares searched columns. */
export const searchFilter = (text: Doc): Filter => ({ rule: rules.search(), text, searches: true });

export interface Field {
  readonly sql: SqlType;
  /** Validates the value in a body; null: clients cannot write the field. */
  readonly rule: z.ZodType | null;
  /** Schema of the value in a reply, if the value is not null. */
  readonly shape: z.ZodType;
  readonly presence: Presence;
  readonly written: Written;
  readonly stored: boolean;
  /** SQL expression for the value in replies, from row `t`; null: the column. */
  readonly shownAs: string | null;
  /** The table in which `crm.require_references` looks up the id. */
  readonly references: Reference | null;
  /** The table of the record that this id names. `expand` can add that record to replies. Null for other fields. */
  readonly names: string | null;
  readonly filter: Filter | null;
  /** Whether the value may have more than LONG characters. */
  readonly long: boolean;
  /** Undefined: the common text for this name applies (tools/openapi/common_fields.ts). */
  readonly text: Doc | undefined;
}

/** Maximum length of a text, in characters, with which 200 records always fit on a page. */
const LONG = 2048;

export interface Options {
  text?: Doc;
  presence?: Presence;
  written?: Written;
  /** SQL expression for the value in replies, from row `t`; by default the column. */
  shownAs?: string;
  /** Lets the list be filtered by this field: `true`, the text of the parameter, or properties of the filter. */
  filter?: boolean | Doc | Partial<Filter>;
}

type Kind =
  & Pick<Field, "sql" | "shape">
  & Partial<Pick<Field, "rule" | "stored" | "long" | "references" | "names">>;

function field({ rule = null, ...kind }: Kind, { text, filter, ...options }: Options): Field {
  return {
    rule,
    presence: "optional",
    written: rule ? "always" : "by the database",
    stored: true,
    shownAs: null,
    references: null,
    names: kind.references?.table ?? null,
    long: false,
    ...kind,
    ...options,
    filter: filter ? filterBy(rule ?? kind.shape, filter) : null,
    text,
  };
}

function filterBy(rule: z.ZodType, filter: true | Doc | Partial<Filter>): Filter {
  if (filter === true) return { rule };
  return "description" in filter ? { rule, text: filter } : { rule, ...filter };
}

/** The filter of every list whose records can be archived. */
export const ARCHIVED: Filter = {
  rule: z.enum(["false", "true", "any"])
    // "false" is treated as absent, so that calls with or without it share a statement.
    .transform((value) => value === "false" ? undefined : value)
    .meta({ default: "false" }),
  text: doc(
    "false: só os que estão em uso; true: só os arquivados; any: todos. Para copiar os registros, any: archived_at diz " +
      "quais estão arquivados",
    "false: only records in use; true: only archived ones; any: all. To copy the records, use any: archived_at tells " +
      "which are archived",
  ),
  condition: { false: "t.archived_at is null", true: "t.archived_at is not null" },
  hides: { without: "false", only: "true", all: "any" },
};

/** A name or title: trimmed, never empty. */
export const name = (options: Options = {}, max = 255) =>
  field({ sql: "text", rule: rules.name(max), shape: z.string() }, { presence: "required", ...options });

/** Free text with at most `max` characters, stored unchanged. */
export const text = (max: number, options: Options = {}, min = 0) =>
  field({ sql: "text", rule: rules.text(max, min), shape: z.string(), long: max > LONG }, options);

export const textWith = (rule: z.ZodType, options: Options = {}) =>
  field({ sql: "text", rule, shape: z.string() }, options);

export const email = (options: Options = {}) => textWith(rules.email(), options);

/**
 * One of the given words. `writing` concerns bodies: `offered` are the words that the OpenAPI documents list, although
 * a body may have any of `words`; `error` is the message for any other text.
 */
export const choice = <Word extends string>(
  words: readonly [Word, ...Word[]],
  { filter, ...options }: Options = {},
  writing?: { offered: readonly Word[]; error: string },
) => {
  const shape = z.enum(words);
  const rule = writing ? z.enum(words, { error: writing.error }).meta({ enum: writing.offered }) : shape;
  return {
    ...field({ sql: "text", rule, shape }, options),
    filter: filter ? { several: true, ...filterBy(shape, filter) } : null,
  };
};

export const readOnlyText = (options: Options = {}) => field({ sql: "text", shape: z.string() }, options);

/** The id of another record of the workspace; `crm.require_references` checks that it exists. */
export const reference = (table: string, options: Options = {}, active = false) =>
  field({ sql: "uuid", rule: rules.uuid(), shape: rules.uuid(), references: { table, active } }, options);

/** The active member who is in charge. If the call names no member, the database chooses one (spec 4.1). */
export const owner = (options: Options = {}) =>
  reference("members", { presence: "defaulted", filter: true, ...options }, true);

/** The id of another record. The verbs check this id themselves; `crm.require_references` does not. */
export const idCheckedByVerb = (table: string, options: Options = {}) =>
  field({ sql: "uuid", rule: rules.uuid(), shape: rules.uuid(), names: table }, options);

export const readOnlyId = (options: Options = {}) =>
  field({ sql: "uuid", shape: rules.uuid() }, { presence: "required", ...options });

/** The id of a member, such as the author. The verb sets it. */
export const memberId = (options: Options = {}) =>
  field({ sql: "uuid", shape: rules.uuid(), names: "members" }, {
    presence: "required",
    written: "by the verb",
    ...options,
  });

/** An amount of money without a currency (spec 1). */
export const money = (options: Options = {}) =>
  field({ sql: "numeric", rule: rules.money(), shape: z.number() }, options);

const MAX_INTEGER = 2_147_483_647;

export const count = (options: Options = {}) =>
  field({ sql: "integer", rule: z.int().min(0).max(MAX_INTEGER), shape: z.int() }, options);

export const readOnlyNumber = (options: Options = {}, shape: z.ZodType = z.int()) =>
  field({ sql: "integer", shape }, { presence: "required", ...options });

export const flag = (options: Options = {}) =>
  field({ sql: "boolean", rule: z.boolean(), shape: z.boolean() }, options);

export const date = (options: Options = {}) =>
  field({ sql: "date", rule: rules.date(), shape: z.iso.date() }, options);

export const datetime = (options: Options = {}) =>
  field({ sql: "timestamptz", rule: rules.datetime(), shape: rules.timestamp() }, options);

export const readOnlyDatetime = (options: Options = {}) =>
  field({ sql: "timestamptz", shape: rules.timestamp() }, options);

/** The time of the record's creation or last change; the database sets it. */
export const autoTimestamp = () => readOnlyDatetime({ presence: "required" });

/** An object with the given schema, stored as JSON. `shape`: the schema in replies, if it differs. */
export const object = (schema: z.ZodType, options: Options = {}, shape = schema) =>
  field({ sql: "jsonb", rule: schema, shape, long: true }, options);

/** Fields that the client defines (spec 8). */
export const customFields = (options: Options = {}) =>
  field(
    { sql: "jsonb", rule: rules.customFields(), shape: z.record(z.string(), z.unknown()), long: true },
    options,
  );

/** Tags, stored as null if there are none. */
export const tags = () =>
  field({ sql: "text[]", rule: rules.tags(), shape: z.array(z.string()), long: true }, {
    presence: "defaulted",
    shownAs: "coalesce(t.tags, '{}')",
  });

/** A value that an SQL expression computes from row `t`: not stored, not writable. */
export const computed = (sql: SqlType, expression: string, shape: z.ZodType, options: Options = {}) =>
  field({ sql, shape, stored: false }, { presence: "required", shownAs: expression, ...options });

export const eventTypes = (rule: z.ZodType, shape: z.ZodType, options: Options = {}) =>
  field({ sql: "crm.event_type[]", rule, shape }, options);
