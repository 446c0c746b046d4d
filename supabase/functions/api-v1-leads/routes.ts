import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { LeadRequest, LeadResult } from "./schema.ts";

export const leads = resource(
  "api-v1-leads",
  {
    "POST /": endpoint({
      summary: doc("Envia um lead", "Send a lead"),
      scope: "leads:write",
      body: LeadRequest,
      malformed: "invalid_body",
      reply: LeadResult,
      status: 201,
      verb: "lead_create",
      idempotent: true,
      errors: [
        "pipeline_not_found",
        "no_default_pipeline",
        "stage_not_found",
        "pipeline_has_no_stage",
        "owner_unresolved",
      ],
    }),
  },
  doc(
    "Entrada de leads: empresa, contato e negócio em uma chamada",
    "Lead intake: company, contact and deal in one call",
  ),
);
