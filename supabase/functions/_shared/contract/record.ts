import { z } from "zod";
import type { Doc, FieldDocs } from "./doc.ts";
import type { Field, Filter } from "./record_fields.ts";
import { listQuery } from "./pagination.ts";
import type { Json } from "../http/json_body.ts";

/** What a record is, beside its fields. */
export interface RecordAbout {
  /** Table of schema `crm`. */
  table: string;
  /** Name of the reply's schema in OpenAPI; bodies are called New… and …Patch. */
  schema: string;
  /** What one record is. */
  text: Doc;
  /** Of the body of POST. */
  create?: Doc;
  /** Of the body of PATCH. */
  update?: Doc;
  /** Of these fields, POST needs one. */
  atLeastOneOf?: readonly string[];
  /**
   * The plain SQL that `deno task records` writes, beside the record's public type and JSON: `crm.<name>_insert`,
   * `crm.<name>_lock` and `_save`, the verbs `api.<name>_get` and `_list`.
   */
  sql?: readonly ("insert" | "save" | "get" | "list")[];
  /** Filters that stand for no field by themselves, such as a range. */
  filters?: Readonly<Record<string, Filter>>;
  /** Subsets of the fields that somebody else sees, by the schema's name in OpenAPI. */
  views?: Readonly<Record<string, RecordView>>;
}

/** A subset of a record's fields, with a public JSON of its own: `api.<name>`, `crm.<name>_json`. */
export interface RecordView {
  /** Name of its SQL type. */
  name: string;
  text: Doc;
  fields: readonly string[];
}

/**
 * A record, declared once: its zod schemas and texts are made here, its SQL by `deno task records` (contract/records/).
 */
export class CrmRecord {
  /** As every reply and event shows it. */
  readonly reply: z.ZodObject;
  /** Body of POST. */
  readonly create: z.ZodType<Record<string, Json>>;
  /** Body of PATCH: what is absent stays, what is null is cleared. */
  readonly update: z.ZodObject;
  /** Query of the list: the common parameters and the record's filters. */
  readonly query: z.ZodObject;
  /** Filters by the name of their parameter. */
  readonly filters: Readonly<Record<string, Filter>>;

  constructor(
    readonly name: string,
    readonly about: RecordAbout,
    readonly fields: Readonly<Record<string, Field>>,
  ) {
    const { schema, text, create, update } = about;
    this.filters = { ...only(fields, ({ filter }) => filter ?? undefined), ...about.filters };
    this.reply = z.object(only(fields, shown)).meta({ id: schema, ...text, fields: this.texts() });
    this.create = this.#oneOf(z.object(only(fields, inCreate)))
      .meta({ id: `New${schema}`, ...create, fields: this.texts() }) as unknown as z.ZodType<
        Record<string, Json>
      >;
    this.update = z.object(only(fields, inUpdate))
      .meta({ id: `${schema}Patch`, ...update, fields: this.texts() });
    this.query = listQuery(only(this.filters, (filter) => {
      const rule = filter.required ? filter.rule : filter.rule.optional();
      return filter.text ? rule.meta(filter.text) : rule;
    }));
  }

  /** The texts of the fields, for schemas made of some of them. */
  texts(): FieldDocs {
    return only(this.fields, ({ text }) => text);
  }

  /** Rules of some fields, for the body of an action: each may be absent or null. */
  rules(...names: string[]): Record<string, z.ZodType> {
    return only(this.#named(names), ({ rule }) => rule?.nullish());
  }

  /** The reply's schema of one of the record's views. */
  view(schema: string): z.ZodObject {
    const { text, fields } = this.about.views![schema]!;
    return z.object(only(this.#named(fields), shown)).meta({ id: schema, ...text, fields: this.texts() });
  }

  #named(names: readonly string[]): Record<string, Field> {
    return Object.fromEntries(names.map((name) => [name, this.fields[name]!]));
  }

  #oneOf(body: z.ZodObject): z.ZodType {
    const { atLeastOneOf: names } = this.about;
    if (!names) return body;
    return body.refine((value) => names.some((name) => value[name] != null), {
      path: [names[0]!],
      error: `Informe ao menos um de ${names.slice(0, -1).join(", ")} e ${names.at(-1)}`,
      // Also beside other fields at fault: all of them are reported at once.
      when: () => true,
    });
  }
}

/**
 * Declares a record: field by field, what a client may send, what is shown, the column, the filter and both texts.
 *
 * @param name of its SQL type and functions: `api.<name>`, `crm.<name>_json`, …
 */
export function record(name: string, about: RecordAbout, fields: Record<string, Field>): CrmRecord {
  return new CrmRecord(name, about, fields);
}

function shown({ shape, presence }: Field): z.ZodType {
  return presence === "optional" ? shape.nullable() : shape;
}

function inCreate({ rule, presence, written }: Field): z.ZodType | undefined {
  if (rule === null || !(written === "always" || written === "on create")) return undefined;
  return presence === "required" ? rule : rule.nullish();
}

function inUpdate({ rule, presence, written }: Field): z.ZodType | undefined {
  if (rule === null || !(written === "always" || written === "on update")) return undefined;
  return presence === "optional" || presence === "defaulted" ? rule.nullish() : rule.optional();
}

function only<From, To>(
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
