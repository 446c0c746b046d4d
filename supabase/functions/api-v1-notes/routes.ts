import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { pageOf } from "../_shared/contract/pagination.ts";
import { NewNote, Note, NoteFilter } from "./schema.ts";

export const notes = resource("api-v1-notes", {
  "GET /": endpoint({
    summary: doc("Lista as notas de um negócio", "List a deal's notes"),
    scope: "notes:read",
    query: NoteFilter,
    reply: pageOf(Note),
    verb: "note_list",
  }),
  "GET /:id": endpoint({
    summary: doc("Mostra uma nota", "Show a note"),
    scope: "notes:read",
    reply: Note,
    verb: "note_get",
  }),
  "POST /": endpoint({
    summary: doc("Cria uma nota", "Create a note"),
    scope: "notes:write",
    body: NewNote,
    reply: Note,
    status: 201,
    verb: "note_create",
    idempotent: true,
    errors: ["invalid_reference", "no_author_available"],
  }),
}, doc("Notas de um negócio; não mudam nem são removidas", "Notes of a deal; they neither change nor go"));
