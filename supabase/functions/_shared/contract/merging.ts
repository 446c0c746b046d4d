import { named } from "./doc.ts";
import { uuid } from "./fields.ts";
import { extended, field, object } from "./object.ts";
import { operation } from "./operation.ts";
import type { CrmRecord } from "./record.ts";

const Merge = object({
  merge_id: field(uuid(), [
    "O registro que deixa de existir, sem volta: só preenche os campos vazios do outro; o endereço dele passa a " +
    "responder 301 a GET e 409 às outras chamadas",
    "The record that ceases to exist, for good: it only fills in empty fields of the other; from then on, its address " +
    "answers 301 to GET and 409 to other calls",
  ]),
}).meta(named("Merge", "O registro a unir a este", "The record to merge into this one"));

/** Declares the endpoint that merges a record into another, without summary and scope. The texts describe the reply. */
export const mergeOf = ({ name, about, reply }: CrmRecord, portuguese: string, english: string) => ({
  body: Merge,
  reply: extended(reply, { operation }).meta(named(`Merged${about.schema}`, portuguese, english)),
  verb: `${name}_merge`,
  etag: true as const,
});
