import { z } from "zod";
import { type Doc, doc, type FieldDocs } from "./doc.ts";
import { DRY_RUN } from "./dry_run.ts";
import { tags, uuid, withCode } from "./fields.ts";
import { ListQuery, several } from "./pagination.ts";
import { ARCHIVED, CUSTOM, type Field, type Filter, searchFilter, TAG } from "./record_fields.ts";
import type { Json } from "./json.ts";
import { Expanded } from "./reference.ts";

/** The properties of a record beside its fields. */
export interface RecordAbout {
  /** Table of schema `crm`. */
  table: string;
  /** Name of the reply's schema in OpenAPI. The schemas of the bodies are named New…, …Patch and …Upsert. */
  schema: string;
  /** Describes the reply; `create` and `update` describe the bodies of POST and PATCH. */
  text: Doc;
  create?: Doc;
  update?: Doc;
  /** POST requires at least one of these fields. */
  atLeastOneOf?: readonly string[];
  /**
   * The SQL functions that `deno task records` writes, in addition to the record's public type and JSON. `insert`:
   * `crm.<name>_insert`; `save`: `crm.<name>_lock` and `_save`; `get` and `list`: the verbs `api.<name>_get` and
   * `_list`; `archive`: the verbs `_archive` and `_restore`.
   */
  sql?: readonly ("insert" | "save" | "get" | "list" | "archive")[];
  /** The values of `group_by` in {@link CrmRecord.summaryQuery}, the query of the verb `api.<name>_summary`. */
  summary?: readonly string[];
  /** Enables upserts. `by`: the fields by which they can find the record, each of which has a filter. */
  upsert?: {
    by: readonly [string, ...string[]];
    /**
     * Further fields by which leads find the record. An upsert locks the values of these fields too, so that an upsert
     * and a simultaneous lead do not both create the record.
     */
    foundBy?: readonly string[];
    text: Doc;
  };
  /**
   * Indexed columns by which possible duplicates are found. Each has an SQL expression that computes, from the new row
   * `new`, the array of values to look for. The insert itself looks for the duplicates, because a separate statement
   * would make a creation a third more expensive for Postgres.
   */
  alike?: Readonly<Record<string, string>>;
  /**
   * The values that an erasure writes into fields that cannot be null. The erasure clears every other field that
   * clients write, except the owner. If this property is absent, the record cannot be erased.
   */
  erased?: Readonly<Record<string, string>>;
  /** The columns by which the list can be sorted besides created_at and updated_at. Each gets an index. */
  sorts?: readonly string[];
  /** Filters that do not compare a field for equality, such as a range. */
  filters?: Readonly<Record<string, Filter>>;
  /** The columns that the list's parameter `q` searches. */
  search?: RecordSearch;
  /** Subsets of the fields for other readers, by the name of the subset's schema in OpenAPI. */
  views?: Readonly<Record<string, RecordView>>;
}

/** The columns of a record that a search covers. */
export interface RecordSearch {
  text: Doc;
  texts: readonly string[];
  /** Columns that are searched only by the digits in `q`. */
  phones?: readonly string[];
  /** SQL functions by column. Each returns another spelling of the column's value; the search covers it too. */
  spelled?: Readonly<Record<string, string>>;
}

/** A subset of a record's fields, with its own SQL type `api.<name>` and function `crm.<name>_json`. */
export interface RecordView {
  name: string;
  text: Doc;
  fields: readonly string[];
}

/**
 * A record. This class derives the zod schemas and the texts from the declaration. `deno task records` (tools/records/)
 * writes the SQL from the same declaration.
 */
export class CrmRecord {
  readonly reply: z.ZodObject;
  readonly create: z.ZodType<Record<string, Json>>;
  /** Body of PATCH: an absent field stays as it is, and null clears a field. */
  readonly update: z.ZodObject;
  /** Body of an upsert: like the body of POST, but no field is required, and null has the same meaning as on PATCH. */
  readonly upsert: z.ZodObject;
  /** Query of an upsert: the field by which to find the record. Empty for a record without upsert. */
  readonly upsertQuery: z.ZodObject;
  /** Reply to POST with `Prefer: return=representation`: the record and its possible duplicates. */
  readonly created: z.ZodObject;
  /** Reply to an upsert: the record, and what the call did. */
  readonly upserted: z.ZodObject;
  /** Query of the list: the common parameters and the record's filters. */
  readonly query: z.ZodObject;
  /** Query of the summary: the list's query without the parameters for pages, plus `group_by`. */
  readonly summaryQuery: z.ZodObject;
  /** The column for each value of `sort`, without the `-`. */
  readonly sorts: Readonly<Record<string, string>>;
  /** Query of the detail. Its only parameter is `expand`; empty if no field names another record. */
  readonly detailQuery: z.ZodObject;
  /** The record as lists and the detail show it: with the records that `expand` names. */
  readonly shown: z.ZodObject;
  /** What `expand` can add to the record: the field with the id, and the table of the other record. */
  readonly expansions: Readonly<Record<string, { field: string; table: string }>>;
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
      ...("tags" in fields && { tag: TAG }),
      ...("custom_fields" in fields && { custom: CUSTOM }),
      ...("archived_at" in fields && { archived: ARCHIVED }),
      ...(search && { q: searchFilter(search.text) }),
    };
    this.expansions = Object.fromEntries(
      Object.entries(fields).flatMap(([field, { names: table }]) =>
        table === null ? [] : [[field.replace(/_id$/, ""), { field, table }]]
      ),
    );
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
    const tagging = "tags" in fields ? { add_tags: tags().nullish(), remove_tags: tags().nullish() } : {};
    const changed = { ...this.texts(), ...TAGGING };
    this.update = z.object({ ...mapDefined(fields, (field) => changeRule("on update", field)), ...tagging })
      .meta({ id: `${schema}Patch`, ...update, fields: changed });
    this.upsert = z.object({ ...mapDefined(fields, (field) => changeRule("on create", field)), ...tagging })
      .meta({ id: `${schema}Upsert`, ...about.upsert?.text, fields: changed });
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
          "The record after an upsert, and what the call did",
        ),
        fields: { ...this.texts(), ...UPSERTED },
      });
    this.upsertQuery = z.object(
      about.upsert ? { match_by: z.enum(about.upsert.by).meta(MATCH_BY), ...DRY_RUN } : {},
    );
    const [expansion, ...expansions] = Object.keys(this.expansions);
    this.detailQuery = z.object(
      expansion === undefined
        ? {}
        : { expand: several(z.enum([expansion, ...expansions])).optional().meta(EXPAND) },
    );
    this.shown = expansion === undefined
      ? this.reply
      : this.reply.extend(mapDefined(this.expansions, () => Expanded.nullable().optional()))
        .meta({ id: `Expanded${schema}`, ...text, fields: this.texts() });
    // Ids begin with the creation time, so sorting by id sorts by created_at.
    const own = Object.fromEntries(about.sorts?.map((column) => [column, column]) ?? []);
    this.sorts = { created_at: "id", updated_at: "updated_at", ...own };
    this.query = ListQuery.extend({
      ...mapDefined(this.filters, filterRule),
      sort: sortRule(this.sorts),
      ...this.detailQuery.shape,
    }).refine((sent: Record<string, unknown>) => sent["q"] === undefined || sent["sort"] === undefined, {
      path: ["sort"],
      error: "Não vale com q, cujos resultados vêm do mais novo ao mais antigo",
    }).refine(({ cursor, sort }) => sort !== undefined || !SORTED_CURSOR.test(cursor as string), {
      path: ["cursor"],
      ...withCode("invalid_cursor", "Deve vir com o mesmo sort da resposta de onde veio"),
    });
    this.query = this.#requireFilter(this.query);
    this.summaryQuery = ListQuery.extend({
      ...mapDefined(this.filters, filterRule),
      ...(about.summary && { group_by: z.enum(about.summary).optional().meta(GROUP_BY) }),
    }).omit({ limit: true, cursor: true });
  }

  /** The texts of all fields. If the schema of a body lacks a field that has a text, the field is read-only. */
  texts(): FieldDocs {
    return Object.fromEntries(Object.entries(this.fields).map(([name, { text }]) => [name, text]));
  }

  /** The rules of the named fields, made optional, for the body of an action. */
  rules(...names: string[]): Record<string, z.ZodType> {
    return mapDefined(this.#pick(names), ({ rule }) => rule?.nullish());
  }

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

  /**
   * Refuses a query that has neither the required filter nor a filter by the record's deal. Also refuses another order
   * than by id if the required filter is absent.
   */
  #requireFilter(query: z.ZodObject): z.ZodObject {
    const names = Object.keys(this.filters);
    const required = names.find((name) => this.filters[name]!.required);
    if (required === undefined) return query;
    const alternatives = names.filter((name) => this.filters[name]!.ofDeal);
    return query.refine(
      (sent: Record<string, unknown>) => [required, ...alternatives].some((name) => sent[name] !== undefined),
      {
        path: [required],
        error: atLeastOneText([required, ...alternatives]),
        when: () => true,
      },
    ).refine(
      (sent: Record<string, unknown>) =>
        sent[required] !== undefined || sent["sort"] === undefined || sent["sort"] === "created_at",
      {
        path: ["sort"],
        error: `Sem ${required}, só por created_at`,
      },
    );
  }

  #requireOneOf(body: z.ZodObject): z.ZodType {
    const { atLeastOneOf: names } = this.about;
    if (!names) return body;
    return body.refine((value) => names.some((name) => value[name] != null), {
      path: [names[0]!],
      error: atLeastOneText(names),
      // Checked even if other fields are invalid: one reply names every error.
      when: () => true,
    });
  }
}

export function atLeastOneText(names: readonly string[]): string {
  return `Informe ao menos um de ${names.slice(0, -1).join(", ")} e ${names.at(-1)}`;
}

/** Describes `match_by`, both as a query parameter and in an item of a batch. */
export const MATCH_BY: Doc = doc(
  "Campo pelo qual o registro é procurado; o corpo precisa ter um valor nele",
  "The field by which to find the record; the body must have a value for it",
  "external_id",
);

export const EXPAND: Doc = doc(
  "Os registros a mostrar com id e nome, ao lado do campo _id; separados por vírgulas",
  "The records to show by id and name, beside their _id field; separated by commas",
);

const GROUP_BY: Doc = doc(
  "Soma também por responsável, etapa, mês ou origem, em groups; o mês é o do fechamento, em UTC, ou, nos abertos, " +
    "o do previsto",
  "Also adds up by owner, stage, month or source, in groups; the month is that of the close, in UTC, or, for open " +
    "deals, of the expected close",
);

const TAGGING: FieldDocs = {
  add_tags: doc("Etiquetas a acrescentar às atuais", "Tags to add to the current ones", ["feira-2026"]),
  remove_tags: doc("Etiquetas a tirar das atuais", "Tags to remove from the current ones", []),
};

const UPSERTED: FieldDocs = {
  created: doc("Se o registro foi criado agora", "Whether the record was created now", true),
  matched_by: doc(
    "O campo pelo qual o registro foi encontrado; null se foi criado",
    "The field by which the record was found; null if it was created",
    null,
  ),
  differences: doc(
    "Os campos enviados que o registro manteve como estavam: um telefone mais completo, ou o campo de match_by de um " +
      "registro que foi unido a este",
    "The sent fields that were not stored: the record has a fuller phone number, or was found by the match_by field of a " +
      "record that was merged into it",
    [],
  ),
};

function upsertedRules(by: readonly string[]): z.ZodRawShape {
  // A single name is not declared as an enumeration: the documents would show the field as a constant, although its
  // value may also be null.
  const field = by.length > 1 ? z.enum(by) : z.string();
  return { created: z.boolean(), matched_by: field.nullable(), differences: z.array(z.string()) };
}

const POSSIBLE_DUPLICATES = doc(
  "Registros parecidos que já havia, no máximo 5; só com Prefer: return=representation",
  "Records that existed before and resemble this one, 5 at most; only with Prefer: return=representation",
);

/**
 * Declares a record and its fields (record_fields.ts).
 *
 * @param name used in the names of SQL objects: `api.<name>`, `crm.<name>_json`, …
 */
export function record(name: string, about: RecordAbout, fields: Record<string, Field>): CrmRecord {
  return new CrmRecord(name, about, fields);
}

function filterRule(filter: Filter): z.ZodType {
  const value = filter.several ? several(filter.rule) : filter.rule;
  const rule = value.optional();
  return rule.meta({ ...filter.text, ...(filter.required && { needed: true }) });
}

/** The values of `sort`: each name, and the name with `-` for descending order. */
export function sortWords(sorts: CrmRecord["sorts"]): string[] {
  return Object.keys(sorts).flatMap((name) => [name, `-${name}`]);
}

/** A cursor of a list with `sort`, as `crm.keep_cursor` makes it. Without `sort` it would be read as a record's id. */
const SORTED_CURSOR = /^.{14}8.{4}a/i;

/** The parameter `sort`. The default order is treated as absent, so that calls with or without it share a statement. */
function sortRule(sorts: CrmRecord["sorts"]): z.ZodType {
  return z.enum(sortWords(sorts))
    .transform((word) => word === "-created_at" ? undefined : word)
    .optional()
    .meta({ ...SORT, default: "-created_at" });
}

const SORT: Doc = doc(
  "A ordem; com - antes do nome, do maior ao menor ou do mais novo ao mais antigo. Registros sem o valor vêm por " +
    "último",
  "The order; with - before the name, from largest to smallest or from newest to oldest. Records without a value " +
    "come last",
);

function replyRule({ shape, presence }: Field): z.ZodType {
  return presence === "optional" ? shape.nullable() : shape;
}

function createRule({ rule, presence, written }: Field): z.ZodType | undefined {
  if (rule === null || !(written === "always" || written === "on create")) return undefined;
  return presence === "required" ? rule : rule.nullish();
}

function changeRule(
  when: "on create" | "on update",
  { rule, presence, written }: Field,
): z.ZodType | undefined {
  if (rule === null || !(written === "always" || written === when)) return undefined;
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
