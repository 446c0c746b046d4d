import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { pageOf } from "../_shared/contract/pagination.ts";
import { company } from "./record.ts";

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const companies = resource("api-v1-companies", {
  "GET /": endpoint({
    summary: doc("Lista as empresas", "List companies"),
    scope: "companies:read",
    query: company.query,
    reply: pageOf(company.reply),
    verb: "company_list",
  }),
  "GET /:id": endpoint({
    summary: doc("Mostra uma empresa", "Show a company"),
    scope: "companies:read",
    reply: company.reply,
    verb: "company_get",
  }),
  "POST /": endpoint({
    summary: doc("Cria uma empresa", "Create a company"),
    scope: "companies:write",
    body: company.create,
    reply: company.reply,
    status: 201,
    verb: "company_create",
    idempotent: true,
    errors: writeErrors,
  }),
  "PATCH /:id": endpoint({
    summary: doc("Altera uma empresa", "Update a company"),
    scope: "companies:write",
    body: company.update,
    reply: company.reply,
    verb: "company_update",
    errors: writeErrors,
  }),
}, doc("As empresas com quem se negocia", "The companies that the workspace deals with"));
