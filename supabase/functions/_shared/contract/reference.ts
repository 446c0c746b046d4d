import { z } from "zod";
import { doc } from "./doc.ts";
import { name, uuid } from "./fields.ts";

/** Another record by id and name. */
export const Reference = z.object({ id: uuid(), name: name() }).meta({
  id: "Reference",
  ...doc("Outro registro, pelo nome", "Another record, by its name"),
  fields: { name: doc("Nome", "Name", "Ana Souza") },
});

/** What a field may name: a stage also says whether it is open, won or lost. */
export const Choice = Reference.extend({ type: z.string().optional() }).meta({
  id: "Choice",
  ...doc("Uma opção do campo", "What the field may name"),
  fields: {
    name: doc("Nome", "Name", "Proposta"),
    type: doc("Tipo da etapa; só em etapas", "Type of the stage; only of stages", "open"),
  },
});
