import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { endpointsOf } from "../_shared/contract/record_endpoints.ts";
import { DealContact, DealContactList, NewDealContact } from "./contacts.ts";
import { deal } from "./record.ts";
import {
  DealAction,
  DealDetail,
  DealDetailQuery,
  DealSummary,
  Lose,
  MoveStage,
  Reassign,
  Reassigned,
  Win,
} from "./schema.ts";

const usual = endpointsOf(deal);

const createErrors = [
  "invalid_reference",
  "no_owner_available",
  "pipeline_not_found",
  "no_default_pipeline",
  "stage_not_found",
  "pipeline_has_no_stage",
] as const;

export const deals = resource(
  "api-v1-deals",
  {
    "GET /": endpoint({
      summary: doc("Lista os negócios", "List deals"),
      scope: "deals:read",
      ...usual.list,
      errors: ["invalid_reference"],
    }),
    "GET /summary": endpoint({
      summary: doc(
        "Conta e soma os negócios da lista por pipeline, etapa e situação",
        "Count and add up the deals of a list by pipeline, stage and status",
      ),
      scope: "deals:read",
      query: deal.summaryQuery,
      reply: DealSummary,
      verb: "deal_summary",
      errors: ["too_many_records", "invalid_reference"],
    }),
    "POST /upsert": endpoint({
      summary: doc(
        "Cria ou altera um negócio, procurado por um campo",
        "Create or update a deal, found by a field",
      ),
      scope: "deals:write",
      ...usual.upsert,
      errors: [...createErrors, "ambiguous_match"],
    }),
    "POST /batch": endpoint({ scope: "deals:write", ...batchOf(deal) }),
    "POST /reassign": endpoint({
      summary: doc(
        "Passa os negócios de um membro a outro, até 1.000 por chamada",
        "Hand a member's deals over to another, up to 1,000 in a call",
      ),
      scope: "deals:write",
      body: Reassign,
      reply: Reassigned,
      verb: "deal_reassign",
      errors: ["invalid_reference"],
    }),
    "GET /:id": endpoint({
      summary: doc(
        "Mostra um negócio com contato, empresa e última atividade",
        "Show a deal with contact, company and last activity",
      ),
      scope: "deals:read",
      query: DealDetailQuery,
      reply: DealDetail,
      verb: "deal_get",
      etag: true,
    }),
    "POST /": endpoint({
      summary: doc("Cria um negócio", "Create a deal"),
      scope: "deals:write",
      ...usual.create,
      errors: createErrors,
    }),
    "PATCH /:id": endpoint({
      summary: doc("Altera ou reabre um negócio", "Update or reopen a deal"),
      scope: "deals:write",
      ...usual.update,
      errors: [
        "invalid_reference",
        "no_owner_available",
        "pipeline_not_found",
        "stage_not_found",
        "pipeline_has_no_stage",
      ],
    }),
    "POST /:id/move-stage": endpoint({
      summary: doc("Muda o negócio de etapa", "Move the deal to another stage"),
      scope: "deals:write",
      body: MoveStage,
      reply: DealAction,
      verb: "deal_move_stage",
      etag: true,
      errors: ["invalid_reference", "pipeline_not_found", "stage_not_found"],
    }),
    "POST /:id/win": endpoint({
      summary: doc("Marca o negócio como ganho", "Mark the deal won"),
      scope: "deals:write",
      body: Win,
      bodyOptional: true,
      reply: DealAction,
      verb: "deal_win",
      etag: true,
      namesUnapplied: true,
    }),
    "POST /:id/lose": endpoint({
      summary: doc("Marca o negócio como perdido", "Mark the deal lost"),
      scope: "deals:write",
      body: Lose,
      bodyOptional: true,
      reply: DealAction,
      verb: "deal_lose",
      etag: true,
      namesUnapplied: true,
      errors: ["invalid_reference"],
    }),
    "GET /:id/contacts": endpoint({
      summary: doc(
        "Lista os contatos de um negócio, com o papel de cada um",
        "List the contacts of a deal with their roles",
      ),
      scope: "deals:read",
      reply: DealContactList,
      verb: "deal_contact_list",
    }),
    "POST /:id/contacts": endpoint({
      summary: doc(
        "Põe mais um contato no negócio, ou muda o papel de um que já está",
        "Add another contact to the deal, or change the role of one that is there already",
      ),
      scope: "deals:write",
      body: NewDealContact,
      reply: DealContact,
      status: 201,
      verb: "deal_contact_add",
      findsExisting: true,
      errors: ["invalid_reference"],
    }),
    "DELETE /:id/contacts/:contact_id": endpoint({
      summary: doc(
        "Tira do negócio um contato que não é o principal",
        "Remove a contact other than the main one from the deal",
      ),
      scope: "deals:write",
      reply: null,
      status: 204,
      verb: "deal_contact_remove",
      errors: ["validation_error", "record_merged"],
    }),
    "POST /:id/archive": endpoint({
      summary: doc("Arquiva o negócio", "Archive the deal"),
      scope: "deals:write",
      ...usual.archive,
    }),
    "POST /:id/restore": endpoint({
      summary: doc("Tira o negócio do arquivo", "Restore the deal from the archive"),
      scope: "deals:write",
      ...usual.restore,
    }),
  },
  doc("Os negócios, do primeiro contato ao ganho ou à perda", "The deals, from first contact to won or lost"),
);
