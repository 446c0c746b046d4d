import { z } from "zod";
import { doc } from "./doc.ts";
import { name, uuid } from "./fields.ts";

/** Another record by its name: enough to show it, to open it and to choose it. */
export const Reference = z.object({ id: uuid(), name: name() }).meta({
  id: "Reference",
  ...doc("Outro registro, pelo nome", "Another record, by its name"),
  fields: { name: doc("Nome", "Name", "Ana Souza") },
});
