import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { endpointsOf } from "../_shared/contract/record_endpoints.ts";
import { note } from "./record.ts";

const usual = endpointsOf(note);

export const notes = resource(
  "api-v1-notes",
  {
    "GET /": endpoint({
      summary: doc(
        "Lista as anotações de um negócio, uma empresa ou um contato",
        "List the notes of a deal, a company or a contact",
      ),
      scope: "notes:read",
      ...usual.list,
    }),
    "POST /batch": endpoint({ scope: "notes:write", ...batchOf(note) }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma anotação", "Show a note"),
      scope: "notes:read",
      ...usual.get,
    }),
    "POST /": endpoint({
      summary: doc("Cria uma anotação", "Create a note"),
      scope: "notes:write",
      ...usual.create,
      errors: ["invalid_reference", "no_author_available"],
    }),
  },
  doc(
    "Anotações de um negócio; não mudam nem são removidas",
    "Notes of a deal; they cannot be changed or removed",
  ),
);
