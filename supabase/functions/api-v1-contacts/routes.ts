import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { Created } from "../_shared/contract/fields.ts";
import { pageOf } from "../_shared/contract/pagination.ts";
import { contact } from "./record.ts";

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const contacts = resource("api-v1-contacts", {
  "GET /": endpoint({
    summary: doc("Lista os contatos", "List contacts"),
    scope: "contacts:read",
    query: contact.query,
    reply: pageOf(contact.reply),
    verb: "contact_list",
  }),
  "GET /:id": endpoint({
    summary: doc("Mostra um contato", "Show a contact"),
    scope: "contacts:read",
    reply: contact.reply,
    verb: "contact_get",
  }),
  "POST /": endpoint({
    summary: doc("Cria um contato", "Create a contact"),
    scope: "contacts:write",
    body: contact.create,
    reply: Created,
    status: 201,
    verb: "contact_create",
    idempotent: true,
    errors: writeErrors,
  }),
  "PATCH /:id": endpoint({
    summary: doc("Altera um contato", "Update a contact"),
    scope: "contacts:write",
    body: contact.update,
    reply: contact.reply,
    verb: "contact_update",
    errors: writeErrors,
  }),
}, doc("As pessoas com quem se negocia", "The people that the workspace deals with"));
