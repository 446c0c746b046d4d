import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { syncedPageOf } from "../_shared/contract/pagination.ts";
import { note } from "./record.ts";

export const notes = resource(
  "api-v1-notes",
  {
    "GET /": endpoint({
      summary: doc("Lista as anotações de um negócio", "List a deal's notes"),
      scope: "notes:read",
      query: note.query,
      reply: syncedPageOf(note.reply),
      verb: "note_list",
    }),
    "POST /batch": endpoint({ scope: "notes:write", ...batchOf(note) }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma anotação", "Show a note"),
      scope: "notes:read",
      reply: note.reply,
      verb: "note_get",
      etag: true,
    }),
    "POST /": endpoint({
      summary: doc("Cria uma anotação", "Create a note"),
      scope: "notes:write",
      body: note.create,
      reply: note.reply,
      status: 201,
      verb: "note_create",
      etag: true,
      idempotent: true,
      errors: ["invalid_reference", "no_author_available"],
    }),
  },
  doc(
    "Anotações de um negócio; não mudam nem são removidas",
    "Notes of a deal; they cannot be changed or removed",
  ),
);
