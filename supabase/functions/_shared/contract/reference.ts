import { z } from "zod";
import { named } from "./doc.ts";
import { name, uuid } from "./fields.ts";
import { extended, field, object } from "./object.ts";

export const Reference = object({ id: uuid(), name: field(name(), ["Nome", "Name", "Ana Souza"]) }).meta(
  named("Reference", "Outro registro, pelo nome", "Another record, by its name"),
);

const STAGE_TYPE = field(z.string().optional(), [
  "Tipo da etapa; só em etapas",
  "Type of the stage; only for stages",
  "venda",
]);

/** A record that `expand` adds to a reply. A stage also has its type: pre-venda, venda, won or lost. */
export const Expanded = extended(Reference, { type: STAGE_TYPE }).meta(
  named("Expanded", "O registro a que um campo _id se refere", "The record that an _id field refers to"),
);

/** A record that a field may name. A stage also has its type: pre-venda, venda, won or lost. */
export const Choice = extended(Reference, {
  name: field(Reference.shape.name, ["Nome", "Name", "Proposta"]),
  type: STAGE_TYPE,
}).meta(named("Choice", "Uma opção do campo", "A record that the field may refer to"));
