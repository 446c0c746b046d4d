import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { mergeOf } from "../_shared/contract/merging.ts";
import { endpointsOf } from "../_shared/contract/record_endpoints.ts";
import { duplicatesOf } from "../_shared/contract/duplicates.ts";
import { timelineOf } from "../_shared/contract/timeline.ts";
import { company } from "./record.ts";

const usual = endpointsOf(company);

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const companies = resource("api-v1-companies", {
  "GET /": endpoint({
    summary: doc("Lista as empresas", "List companies"),
    scope: "companies:read",
    ...usual.list,
    errors: ["invalid_reference"],
  }),
  "GET /duplicates": endpoint({
    scope: "companies:read",
    ...duplicatesOf("company"),
  }),
  "POST /upsert": endpoint({
    summary: doc(
      "Cria ou altera uma empresa, procurada por um campo",
      "Create or update a company, found by a field",
    ),
    scope: "companies:write",
    ...usual.upsert,
    errors: [...writeErrors, "ambiguous_match", "external_id_taken", "record_merged"],
  }),
  "POST /batch": endpoint({ scope: "companies:write", ...batchOf(company) }),
  "GET /:id": endpoint({
    summary: doc("Mostra uma empresa", "Show a company"),
    scope: "companies:read",
    ...usual.get,
    errors: ["merged"],
  }),
  "GET /:id/timeline": endpoint({
    scope: "companies:read",
    ...timelineOf("company"),
    errors: ["merged"],
  }),
  "POST /": endpoint({
    summary: doc("Cria uma empresa", "Create a company"),
    scope: "companies:write",
    ...usual.create,
    reply: company.created,
    prefersRepresentation: true,
    errors: [...writeErrors, "external_id_taken"],
  }),
  "PATCH /:id": endpoint({
    summary: doc("Altera uma empresa", "Update a company"),
    scope: "companies:write",
    ...usual.update,
    errors: [...writeErrors, "external_id_taken", "record_merged"],
  }),
  "POST /:id/merge": endpoint({
    summary: doc("Une outra empresa a esta", "Merge another company into this one"),
    scope: "companies:write",
    ...mergeOf(company, "A empresa que fica", "The company that stays"),
    errors: ["record_merged", "invalid_reference"],
  }),
  "POST /:id/archive": endpoint({
    summary: doc("Arquiva a empresa", "Archive the company"),
    scope: "companies:write",
    ...usual.archive,
    errors: ["record_merged"],
  }),
  "POST /:id/restore": endpoint({
    summary: doc("Tira a empresa do arquivo", "Restore the company from the archive"),
    scope: "companies:write",
    ...usual.restore,
    errors: ["record_merged"],
  }),
}, doc("As empresas com quem se negocia", "The companies that the workspace deals with"));
