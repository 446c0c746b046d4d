import { z } from "zod";
import { doc, named } from "./doc.ts";
import { field, object } from "./object.ts";
import { ListQuery, pageOf } from "./pagination.ts";
import { Reference } from "./reference.ts";

const DuplicateGroup = object({
  value: field(z.string(), ["O valor em comum", "The value in common", "ana@padariasol.com.br"]),
  count: field(z.int(), ["Quantos registros são", "How many records there are", 2]),
  records: field(z.array(Reference), [
    "Os 10 mais antigos, do mais antigo ao mais novo",
    "The oldest 10, oldest first",
  ]),
}).meta(named("DuplicateGroup", "Registros com o mesmo valor", "Records with the same value"));

/** The values of `by` for each kind of record: the fields that api.<name>_duplicates can compare. */
export const LIKENESSES = {
  contact: ["email", "phone"],
  company: ["name", "tax_id", "domain"],
} as const;

/** Declares the list of a record's duplicates, without its scope. */
export const duplicatesOf = (name: keyof typeof LIKENESSES) => ({
  summary: doc(
    "Lista os grupos de registros não arquivados que têm o mesmo valor: talvez sejam um só",
    "List the groups of unarchived records that have the same value: they may be duplicates",
  ),
  query: ListQuery.pick({ limit: true, cursor: true }).extend({
    by: z.enum(LIKENESSES[name]).meta(
      doc("O campo com o mesmo valor", "The field with the same value", LIKENESSES[name][0]),
    ),
  }),
  reply: pageOf(DuplicateGroup),
  verb: `${name}_duplicates`,
});
