import { z } from "zod";
import { type Doc, doc, type FieldDocs } from "./doc.ts";
import { uuid } from "./fields.ts";
import { listQuery, several } from "./pagination.ts";
import { ARCHIVED, type Field, type Filter, searchFilter } from "./record_fields.ts";
import type { Json } from "./json.ts";

/** The properties of a record as a whole. */
export interface RecordAbout {
  /** Table of schema `crm`. */
  table: string;
  /** Name of the reply's schema in OpenAPI; the schemas of bodies are named New… and …Patch. */
  schema: string;
  /** Text of the reply's schema. */
  text: Doc;
  /** Text of the body of POST. */
  create?: Doc;
  /** Text of the body of PATCH. */
  update?: Doc;
  /** POST requires at least one of these fields. */
  atLeastOneOf?: readonly string[];
  /**
   * The SQL functions that `deno task records` writes, in addition to the record's public type and JSON:
   * `crm.<name>_insert`, for one row and for all of a batch, `crm.<name>_lock` and `_save`, the verbs `api.<name>_get`
   * and `_list`, `_archive` and `_restore`.
   */
  sql?: readonly ("insert" | "insert all" | "save" | "get" | "list" | "archive")[];
  /** Makes the verb `api.<name>_summary`, whose query is {@link CrmRecord.summaryQuery}. */
  summary?: RecordSummary;
  /** By which fields an upsert finds the record; each has a filter. */
  upsert?: {
    by: readonly [string, ...string[]];
    /** Further fields by which leads find the record, so that an upsert and a lead do not create it twice. */
    foundBy?: readonly string[];
    /** Text of the body. */
    text: Doc;
  };
  /**
   * By which columns a new record resembles others, each with an index: the SQL of the list of values, from the new row
   * `new`. The insert itself looks, because a statement of its own would be a third of what a creation costs Postgres.
   */
  alike?: Readonly<Record<string, string>>;
  /** Columns that the verb of POST fills in and no client sees. */
  hidden?: readonly string[];
  /**
   * What an erased record has in the fields that cannot be empty; every other field that clients write is cleared, but
   * for the owner. Absent: the record is never erased.
   */
  erased?: Readonly<Record<string, string>>;
  /** Filters that are not the equality of one field, such as a range. */
  filters?: Readonly<Record<string, Filter>>;
  /** What the list's parameter `q` searches. */
  search?: RecordSearch;
  /** Subsets of the fields for other audiences, by the name of their schema in OpenAPI. */
  views?: Readonly<Record<string, RecordView>>;
}

/** Counts and sums of the records that a list would have. */
export interface RecordSummary {
  /** The fields that tell the groups apart. */
  groups: readonly string[];
  /** The fields that are added up. */
  sums: readonly string[];
  /** The most records that one call looks through. */
  most: number;
}

/** What is searched of a record, by the names of its columns. */
export interface RecordSearch {
  /** Text of the parameter `q`. */
  text: Doc;
  texts: readonly string[];
  /** Columns of which only the digits are searched. */
  phones?: readonly string[];
  /** SQL functions that give another spelling of a column, by which it is found too. */
  spelled?: Readonly<Record<string, string>>;
}

/** A subset of a record's fields, with its own SQL type `api.<name>` and function `crm.<name>_json`. */
export interface RecordView {
  /** Name of the SQL type. */
  name: string;
  text: Doc;
  fields: readonly string[];
}

/**
 * A record. Its zod schemas and texts are derived here from one declaration; `deno task records` (tools/records/)
 * writes its SQL from the same declaration.
 */
export class CrmRecord {
  /** The record in replies and events. */
  readonly reply: z.ZodObject;
  /** Body of POST. */
  readonly create: z.ZodType<Record<string, Json>>;
  /** Body of PATCH: an absent field stays unchanged, null clears it. */
  readonly update: z.ZodObject;
  /** Body of an upsert: that of POST, without what only a creation requires. Null is what it is on PATCH. */
  readonly upsert: z.ZodObject;
  /** Query of an upsert: the field by which the record is found. A record without an upsert has no parameter for it. */
  readonly upsertQuery: z.ZodObject;
  /** Reply of POST with `Prefer: return=representation`: the record, and those that it resembles. */
  readonly created: z.ZodObject;
  /** Reply of an upsert: the record, and what was done. */
  readonly upserted: z.ZodObject;
  /** Query of the list: the common parameters and the record's filters. */
  readonly query: z.ZodObject;
  /** Query of the summary: as that of the list, without its pages and its search. */
  readonly summaryQuery: z.ZodObject;
  /** Filters by name of the query parameter. */
  readonly filters: Readonly<Record<string, Filter>>;

  constructor(
    readonly name: string,
    readonly about: RecordAbout,
    readonly fields: Readonly<Record<string, Field>>,
  ) {
    const { schema, text, create, update, search } = about;
    this.filters = {
      ...mapDefined(fields, ({ filter }) => filter ?? undefined),
      ...about.filters,
      ...("archived_at" in fields && { archived: ARCHIVED }),
      ...(search && { q: searchFilter(search.text) }),
    };
    this.reply = z.object(mapDefined(fields, replyRule)).meta({ id: schema, ...text, fields: this.texts() });
    const oneOf = about.atLeastOneOf?.map((name) => ({ required: [name] }));
    this.create = this.#requireOneOf(z.object(mapDefined(fields, createRule)))
      .meta({
        id: `New${schema}`,
        ...create,
        fields: this.texts(),
        ...(oneOf && { anyOf: oneOf }),
      }) as unknown as z.ZodType<
        Record<string, Json>
      >;
    this.update = z.object(mapDefined(fields, updateRule))
      .meta({ id: `${schema}Patch`, ...update, fields: this.texts() });
    this.upsert = z.object(mapDefined(fields, upsertRule))
      .meta({ id: `${schema}Upsert`, ...about.upsert?.text, fields: this.texts() });
    this.created = this.reply.extend({ possible_duplicates: z.array(uuid()).max(5).optional() }).meta({
      id: `Created${schema}`,
      ...doc("O registro criado", "The record that was created"),
      fields: { ...this.texts(), possible_duplicates: POSSIBLE_DUPLICATES },
    });
    this.upserted = this.reply.extend(upsertedRules(about.upsert?.by ?? []))
      .meta({
        id: `Upserted${schema}`,
        ...doc(
          "O registro depois de um upsert, e o que houve",
          "The record after an upsert, and what was done",
        ),
        fields: { ...this.texts(), ...UPSERTED },
      });
    this.upsertQuery = z.object(about.upsert ? { match_by: z.enum(about.upsert.by).meta(MATCH_BY) } : {});
    this.query = listQuery(mapDefined(this.filters, filterRule));
    const summed = mapDefined(this.filters, (filter) => filter.searches ? undefined : filterRule(filter));
    this.summaryQuery = listQuery(summed).omit({ limit: true, cursor: true });
  }

  /** The texts of all fields, for schemas that contain some of them: the others are known, but only read. */
  texts(): FieldDocs {
    return Object.fromEntries(Object.entries(this.fields).map(([name, { text }]) => [name, text]));
  }

  /** Rules of some fields, for the body of an action; each field may be absent or null. */
  rules(...names: string[]): Record<string, z.ZodType> {
    return mapDefined(this.#pick(names), ({ rule }) => rule?.nullish());
  }

  /** The schema of a view of the record. */
  view(schema: string): z.ZodObject {
    const { text, fields } = this.about.views![schema]!;
    return z.object(mapDefined(this.#pick(fields), replyRule)).meta({
      id: schema,
      ...text,
      fields: this.texts(),
    });
  }

  #pick(names: readonly string[]): Record<string, Field> {
    return Object.fromEntries(names.map((name) => [name, this.fields[name]!]));
  }

  #requireOneOf(body: z.ZodObject): z.ZodType {
    const { atLeastOneOf: names } = this.about;
    if (!names) return body;
    return body.refine((value) => names.some((name) => value[name] != null), {
      path: [names[0]!],
      error: atLeastOneText(names),
      // Runs even if other fields are invalid, so that one reply reports every invalid field.
      when: () => true,
    });
  }
}

/** The message for a body without any of these fields. */
export function atLeastOneText(names: readonly string[]): string {
  return `Informe ao menos um de ${names.slice(0, -1).join(", ")} e ${names.at(-1)}`;
}

/** The text of the parameter `match_by`, and of the field of a batch's item. */
export const MATCH_BY: Doc = doc(
  "Campo pelo qual o registro é procurado; o corpo precisa ter um valor nele",
  "The field by which the record is looked for; the body must have a value in it",
  "external_id",
);

const UPSERTED: FieldDocs = {
  created: doc("Se o registro foi criado agora", "Whether the record was created now", true),
  matched_by: doc(
    "O campo pelo qual o registro foi encontrado; nulo se foi criado",
    "The field by which the record was found; null if it was created",
    null,
  ),
  differences: doc(
    "Os campos enviados que o registro manteve como estavam: um telefone mais completo, ou o campo de match_by de um " +
      "registro que foi unido a este",
    "The fields that were sent and that the record kept as they were: a fuller phone number, or the field of match_by of " +
      "a record that was merged into this one",
    [],
  ),
};

function upsertedRules(by: readonly string[]): z.ZodRawShape {
  // An enumeration of one word has no name in the documents, and null beside it would be a second word.
  const field = by.length > 1 ? z.enum(by) : z.string();
  return { created: z.boolean(), matched_by: field.nullable(), differences: z.array(z.string()) };
}

const POSSIBLE_DUPLICATES = doc(
  "Registros parecidos que já havia, no máximo 5; só com Prefer: return=representation",
  "Records that existed before and resemble this one, 5 at most; only with Prefer: return=representation",
);

/**
 * Declares a record: for each field the rule of its value, its shape in replies, its column, its filter and its texts.
 *
 * @param name used in the SQL type and functions: `api.<name>`, `crm.<name>_json`, …
 */
export function record(name: string, about: RecordAbout, fields: Record<string, Field>): CrmRecord {
  return new CrmRecord(name, about, fields);
}

function filterRule(filter: Filter): z.ZodType {
  const value = filter.several ? several(filter.rule) : filter.rule;
  const rule = filter.required ? value : value.optional();
  return filter.text ? rule.meta(filter.text) : rule;
}

function replyRule({ shape, presence }: Field): z.ZodType {
  return presence === "optional" ? shape.nullable() : shape;
}

function createRule({ rule, presence, written }: Field): z.ZodType | undefined {
  if (rule === null || !(written === "always" || written === "on create")) return undefined;
  return presence === "required" ? rule : rule.nullish();
}

function updateRule({ rule, presence, written }: Field): z.ZodType | undefined {
  if (rule === null || !(written === "always" || written === "on update")) return undefined;
  return presence === "optional" || presence === "defaulted" ? rule.nullish() : rule.optional();
}

function upsertRule({ rule, presence, written }: Field): z.ZodType | undefined {
  if (rule === null || !(written === "always" || written === "on create")) return undefined;
  return presence === "optional" || presence === "defaulted" ? rule.nullish() : rule.optional();
}

function mapDefined<From, To>(
  from: Readonly<Record<string, From>>,
  choose: (value: From) => To | undefined,
): Record<string, To> {
  const chosen: Record<string, To> = {};
  for (const [name, value] of Object.entries(from)) {
    const kept = choose(value);
    if (kept !== undefined) chosen[name] = kept;
  }
  return chosen;
}
