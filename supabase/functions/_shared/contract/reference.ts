import { z } from "zod";
import { doc } from "./doc.ts";
import { name, uuid } from "./fields.ts";

/** Another record, as replies of the application name it: enough to show it and to open it. */
export const Reference = z.object({ id: uuid(), name: name() }).meta({
  id: "Reference",
  ...doc("Outro registro, pelo nome", "Another record, by its name"),
  fields: { name: doc("Nome", "Name", "Ana Souza") },
});
