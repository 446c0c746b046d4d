import { z } from "zod";
import { doc } from "./doc.ts";
import { name, uuid } from "./fields.ts";

/** Another record by id and name. */
export const Reference = z.object({ id: uuid(), name: name() }).meta({
  id: "Reference",
  ...doc("Outro registro, pelo nome", "Another record, by its name"),
  fields: { name: doc("Nome", "Name", "Ana Souza") },
});

/** A record that a field may name. A stage also has its type: open, won or lost. */
export const Choice = Reference.extend({ type: z.string().optional() }).meta({
  id: "Choice",
  ...doc("Uma opção do campo", "A record that the field may name"),
  fields: {
    name: doc("Nome", "Name", "Proposta"),
    type: doc("Tipo da etapa; só em etapas", "Type of the stage; only for stages", "open"),
  },
});
