// The body and the reply of `POST /batch`, for every kind of record. http/batch_items.ts validates the items, and
// http/batch_results.ts adds statuses and error texts to the results.
import { z } from "zod";
import type { BatchOperation, BatchOperations, BodyLimits } from "./declaration.ts";
import { type Doc, doc, named } from "./doc.ts";
import { DRY_RUN } from "./dry_run.ts";
import { ERRORS } from "./errors.ts";
import { uuid } from "./fields.ts";
import { itemField } from "./item_field.ts";
import { field, object } from "./object.ts";
import { type CrmRecord, MATCH_BY } from "./record.ts";
import { Choice } from "./reference.ts";

export const MAX_BATCH_ITEMS = 100;
/** Limits on a batch's body: they admit 100 items with 10 KB of custom_fields each, and keep validation near 40 ms. */
export const BATCH_BODY_LIMITS: BodyLimits = { bytes: 1024 * 1024, values: 50_000 };

/** An operation whose items have `data` and the additional fields `own`. */
export function batchOperation(op: string, data: z.ZodType, own: z.ZodRawShape = {}): BatchOperation {
  return { item: z.object({ op: z.enum([op]), ...own, data: z.record(z.string(), z.unknown()) }), data };
}

/** Reads a record like `GET /:id`. */
const GET: BatchOperation = { item: z.object({ op: z.enum(["get"]), id: uuid() }) };

export const BATCH_FIELDS: Record<string, Doc> = {
  items: doc("De 1 a 100 itens, feitos na ordem", "1 to 100 items, carried out in order"),
  atomic: doc(
    "true: se um item falha, nenhum é gravado e a resposta é 422; se ausente, um erro não impede os outros itens",
    "true: if an item fails, none is written and the reply is 422; if absent, an error does not stop other items",
    false,
  ),
  op: doc("O que fazer", "What to do"),
  id: doc("O registro a alterar ou a ler", "The record to change or to read"),
  match_by: MATCH_BY,
};

/** The field `choices` in the details of an error. */
export const choices = field(z.array(Choice).optional(), [
  "O que o campo pode ter, se o workspace tem até 20 opções; em um lote, só no primeiro item com erro no campo",
  "What the field may name, if the workspace has up to 20 options; in a batch, only in the first item with this error",
]);

const ItemErrorDetail = object({
  field: field(z.string(), ["Nome do campo, com o item", "The field's name, with its item"]),
  message: z.string(),
  id: uuid().optional(),
  choices,
});

const ItemError = object({
  code: field(z.string(), ["Código estável", "A stable code"]),
  message: field(z.string(), ["O que houve, em português", "What happened, in Portuguese"]),
  details: field(z.array(ItemErrorDetail).optional(), [
    "Os campos com problema; no máximo 100 em toda a resposta, ao menos o primeiro de cada item",
    "The invalid fields; at most 100 in the whole reply, at least the first of each item",
  ]),
});

export const BatchItemResult = object({
  index: field(z.int().min(0), ["Posição do item, a partir de 0", "Position of the item, from 0"]),
  status: field(z.int(), [
    "O status que a chamada de um só registro teria",
    "The status that the call for one record would have",
  ]),
  id: uuid().optional(),
  differences: field(z.array(z.string()).optional(), [
    "Os campos que um upsert não gravou, como na chamada de um só registro; ausente se nenhum",
    "The fields that an upsert did not write, as in the call for one record; absent if none",
  ]),
  record: field(z.record(z.string(), z.unknown()).optional(), [
    "Em get: o registro, como em GET /:id; depois de 500 KB de registros, os outros get falham com too_many_records",
    "For get: the record, as in GET /:id; after 500 KB of records, the other gets fail with too_many_records",
  ]),
  error: field(ItemError.optional(), [
    "O erro que a chamada de um só registro teria",
    "The error that the call for one record would have",
  ]),
});

const BatchSummary = object({
  created: field(z.int(), ["Itens que criaram um registro", "Items that created a record"]),
  updated: field(z.int(), [
    "Itens que encontraram ou alteraram um registro",
    "Items that found or changed a record",
  ]),
  failed: field(z.int(), [
    "Itens com erro, que nada gravaram",
    "Items with an error; nothing was written for them",
  ]),
});

/** The reply to a batch: a result for each item, in order. */
export const BatchResult = object({
  results: field(z.array(BatchItemResult), [
    "Um resultado por item, na ordem",
    "One result for each item, in order",
  ]),
  summary: field(BatchSummary, ["Quantos itens tiveram cada resultado", "How many items had each result"]),
}).meta(named("BatchResult", "O que houve com cada item", "The result of each item", {
  results: [
    { index: 0, status: 201, id: "0199a0b4-5c2e-7d31-8f42-3b6a90d1c7e5" },
    {
      index: 1,
      status: 422,
      error: {
        code: "validation_error",
        message: ERRORS.validation_error.message,
        details: [{
          field: itemField(1, "owner_id"),
          message: "Deve ser um UUID; os ids estão em GET /api-v1-workspace",
        }],
      },
    },
  ],
  summary: { created: 1, updated: 0, failed: 1 },
}));

export function batchBody<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item).min(1).max(MAX_BATCH_ITEMS), atomic: z.boolean().nullish() });
}

/**
 * The declaration of a record's `POST /batch`, without its scope. The operations are create and get, and for some
 * records update and upsert.
 */
export function batchOf(record: CrmRecord) {
  const { name, about } = record;
  const operations: BatchOperations = {
    create: batchOperation("create", record.create),
    ...(about.update && { update: batchOperation("update", record.update, { id: uuid() }) }),
    get: GET,
    ...(about.upsert &&
      { upsert: batchOperation("upsert", record.upsert, record.upsertQuery.omit({ dry_run: true }).shape) }),
  };
  const items = Object.values(operations).map(({ item, data }) => data ? item.extend({ data }) : item);
  return {
    summary: doc(
      "Até 100 criações, alterações e leituras em uma chamada",
      "Up to 100 creations, changes and reads in one call",
    ),
    body: batchBody(z.union(items)).meta({
      id: `${about.schema}Batch`,
      ...doc("O que criar, alterar e ler", "What to create, change and read"),
      fields: BATCH_FIELDS,
    }),
    operations,
    bodyLimits: BATCH_BODY_LIMITS,
    query: z.object(DRY_RUN),
    reply: BatchResult,
    verb: `${name}_batch`,
    idempotent: true,
    errors: ["batch_failed"],
  } as const;
}
