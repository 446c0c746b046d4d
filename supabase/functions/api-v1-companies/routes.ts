import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import { Merge } from "../_shared/contract/merging.ts";
import { syncedPageOf } from "../_shared/contract/pagination.ts";
import { company } from "./record.ts";
import { MergedCompany } from "./schema.ts";

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const companies = resource("api-v1-companies", {
  "GET /": endpoint({
    summary: doc("Lista as empresas", "List companies"),
    scope: "companies:read",
    query: company.query,
    reply: syncedPageOf(company.reply),
    verb: "company_list",
    errors: ["invalid_reference"],
  }),
  "POST /upsert": endpoint({
    summary: doc(
      "Cria ou altera uma empresa, procurada por um campo",
      "Create or update a company, looked for by a field",
    ),
    scope: "companies:write",
    query: company.upsertQuery,
    body: company.upsert,
    reply: company.upserted,
    status: 201,
    verb: "company_upsert",
    idempotent: true,
    etag: { recordBefore: "created" },
    errors: [...writeErrors, "ambiguous_match", "external_id_taken", "record_merged"],
  }),
  "POST /batch": endpoint({ scope: "companies:write", ...batchOf(company) }),
  "GET /:id": endpoint({
    summary: doc("Mostra uma empresa", "Show a company"),
    scope: "companies:read",
    reply: company.reply,
    verb: "company_get",
    etag: true,
    errors: ["merged"],
  }),
  "POST /": endpoint({
    summary: doc("Cria uma empresa", "Create a company"),
    scope: "companies:write",
    body: company.create,
    reply: company.created,
    status: 201,
    verb: "company_create",
    etag: true,
    idempotent: true,
    prefersRepresentation: true,
    errors: [...writeErrors, "external_id_taken"],
  }),
  "PATCH /:id": endpoint({
    summary: doc("Altera uma empresa", "Update a company"),
    scope: "companies:write",
    body: company.update,
    reply: company.reply,
    verb: "company_update",
    etag: true,
    errors: [...writeErrors, "external_id_taken", "record_merged"],
  }),
  "POST /:id/merge": endpoint({
    summary: doc("Une outra empresa a esta", "Merge another company into this one"),
    scope: "companies:write",
    body: Merge,
    reply: MergedCompany,
    verb: "company_merge",
    etag: true,
    errors: ["record_merged", "invalid_reference"],
  }),
  "POST /:id/archive": endpoint({
    summary: doc("Arquiva a empresa", "Archive the company"),
    scope: "companies:write",
    ...noBody,
    reply: company.reply,
    verb: "company_archive",
    etag: true,
    errors: ["record_merged"],
  }),
  "POST /:id/restore": endpoint({
    summary: doc("Tira a empresa do arquivo", "Restore the company from the archive"),
    scope: "companies:write",
    ...noBody,
    reply: company.reply,
    verb: "company_restore",
    etag: true,
    errors: ["record_merged"],
  }),
}, doc("As empresas com quem se negocia", "The companies that the workspace deals with"));
