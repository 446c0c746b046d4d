import { z } from "zod";
import type { Doc, FieldDocs } from "./doc.ts";
import type { Field, Filter } from "./record_fields.ts";
import { listQuery } from "./pagination.ts";
import type { Json } from "../http/json_body.ts";

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
   * `crm.<name>_insert`, `crm.<name>_lock` and `_save`, the verbs `api.<name>_get` and `_list`.
   */
  sql?: readonly ("insert" | "save" | "get" | "list")[];
  /** Columns that the verb of POST fills in and no client sees. */
  hidden?: readonly string[];
  /** Filters that are not the equality of one field, such as a range. */
  filters?: Readonly<Record<string, Filter>>;
  /** Subsets of the fields for other audiences, by the name of their schema in OpenAPI. */
  views?: Readonly<Record<string, RecordView>>;
}

/** A subset of a record's fields, with its own SQL type `api.<name>` and function `crm.<name>_json`. */
export interface RecordView {
  /** Name of the SQL type. */
  name: string;
  text: Doc;
  fields: readonly string[];
}

/**
 * A record. Its zod schemas and texts are derived here from one declaration; `deno task records` (contract/records/)
 * writes its SQL from the same declaration.
 */
export class CrmRecord {
  /** The record in replies and events. */
  readonly reply: z.ZodObject;
  /** Body of POST. */
  readonly create: z.ZodType<Record<string, Json>>;
  /** Body of PATCH: an absent field stays unchanged, null clears it. */
  readonly update: z.ZodObject;
  /** Query of the list: the common parameters and the record's filters. */
  readonly query: z.ZodObject;
  /** Filters by name of the query parameter. */
  readonly filters: Readonly<Record<string, Filter>>;

  constructor(
    readonly name: string,
    readonly about: RecordAbout,
    readonly fields: Readonly<Record<string, Field>>,
  ) {
    const { schema, text, create, update } = about;
    this.filters = { ...mapDefined(fields, ({ filter }) => filter ?? undefined), ...about.filters };
    this.reply = z.object(mapDefined(fields, replyRule)).meta({ id: schema, ...text, fields: this.texts() });
    this.create = this.#requireOneOf(z.object(mapDefined(fields, createRule)))
      .meta({ id: `New${schema}`, ...create, fields: this.texts() }) as unknown as z.ZodType<
        Record<string, Json>
      >;
    this.update = z.object(mapDefined(fields, updateRule))
      .meta({ id: `${schema}Patch`, ...update, fields: this.texts() });
    this.query = listQuery(mapDefined(this.filters, (filter) => {
      const rule = filter.required ? filter.rule : filter.rule.optional();
      return filter.text ? rule.meta(filter.text) : rule;
    }));
  }

  /** The texts of the fields, for schemas that contain some of them. */
  texts(): FieldDocs {
    return mapDefined(this.fields, ({ text }) => text);
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
      error: `Informe ao menos um de ${names.slice(0, -1).join(", ")} e ${names.at(-1)}`,
      // Runs even if other fields are invalid, so that one reply reports every invalid field.
      when: () => true,
    });
  }
}

/**
 * Declares a record: for each field the rule of its value, its shape in replies, its column, its filter and its texts.
 *
 * @param name used in the SQL type and functions: `api.<name>`, `crm.<name>_json`, …
 */
export function record(name: string, about: RecordAbout, fields: Record<string, Field>): CrmRecord {
  return new CrmRecord(name, about, fields);
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
