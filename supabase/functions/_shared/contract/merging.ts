import { named } from "./doc.ts";
import { uuid } from "./fields.ts";
import { field, object } from "./object.ts";

/** The body of a merge, which names the record to merge into the record in the path. */
export const Merge = object({
  merge_id: field(uuid(), [
    "O registro que deixa de existir: o seu endereço passa a responder 301 a GET, 409 ao resto",
    "The record that ceases to exist: its address answers 301 to GET from then on, 409 to the rest",
  ]),
}).meta(named("Merge", "O registro a unir a este", "The record to merge into this one"));
