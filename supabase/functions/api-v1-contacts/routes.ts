import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { mergeOf } from "../_shared/contract/merging.ts";
import { ErasedContact } from "../_shared/contract/operation.ts";
import { endpointsOf } from "../_shared/contract/record_endpoints.ts";
import { duplicatesOf } from "../_shared/contract/duplicates.ts";
import { timelineOf } from "../_shared/contract/timeline.ts";
import { contact } from "./record.ts";
import { CreatedContact, Erasure } from "./schema.ts";

const usual = endpointsOf(contact);

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const contacts = resource("api-v1-contacts", {
  "GET /": endpoint({
    summary: doc("Lista os contatos", "List contacts"),
    scope: "contacts:read",
    ...usual.list,
  }),
  "GET /duplicates": endpoint({ scope: "contacts:read", ...duplicatesOf("contact") }),
  "POST /upsert": endpoint({
    summary: doc(
      "Cria ou altera um contato, procurado por um campo",
      "Create or update a contact, found by a field",
    ),
    scope: "contacts:write",
    ...usual.upsert,
    errors: [...writeErrors, "ambiguous_match", "external_id_taken", "record_merged", "record_erased"],
  }),
  "POST /batch": endpoint({ scope: "contacts:write", ...batchOf(contact) }),
  "GET /:id": endpoint({
    summary: doc("Mostra um contato", "Show a contact"),
    scope: "contacts:read",
    ...usual.get,
    errors: ["merged"],
  }),
  "GET /:id/timeline": endpoint({
    scope: "contacts:read",
    ...timelineOf("contact"),
    errors: ["merged"],
  }),
  "POST /": endpoint({
    summary: doc("Cria um contato", "Create a contact"),
    scope: "contacts:write",
    body: contact.create,
    reply: CreatedContact,
    status: 201,
    verb: "contact_create",
    idempotent: true,
    prefersRepresentation: true,
    errors: [...writeErrors, "external_id_taken"],
  }),
  "PATCH /:id": endpoint({
    summary: doc("Altera um contato", "Update a contact"),
    scope: "contacts:write",
    ...usual.update,
    errors: [...writeErrors, "external_id_taken", "record_merged", "record_erased"],
  }),
  "POST /:id/merge": endpoint({
    summary: doc("Une outro contato a este", "Merge another contact into this one"),
    scope: "contacts:write",
    ...mergeOf(contact, "O contato que fica", "The contact that stays"),
    errors: ["record_merged", "record_erased", "invalid_reference"],
  }),
  "POST /:id/archive": endpoint({
    summary: doc("Arquiva o contato", "Archive the contact"),
    scope: "contacts:write",
    ...usual.archive,
    errors: ["record_merged"],
  }),
  "POST /:id/restore": endpoint({
    summary: doc("Tira o contato do arquivo", "Restore the contact from the archive"),
    scope: "contacts:write",
    ...usual.restore,
    errors: ["record_merged", "record_erased"],
  }),
  "POST /:id/erase": endpoint({
    summary: doc("Apaga os dados pessoais do contato (LGPD)", "Erase the contact's personal data"),
    scope: "contacts:manage",
    body: Erasure,
    bodyOptional: true,
    reply: ErasedContact,
    verb: "contact_erase",
    errors: ["record_merged"],
  }),
}, doc("As pessoas com quem se negocia", "The people that the workspace deals with"));
