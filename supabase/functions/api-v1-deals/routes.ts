import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { pageOf } from "../_shared/contract/pagination.ts";
import { deal } from "./record.ts";
import { DealAction, DealDetail, Lose, MoveStage, Win } from "./schema.ts";

export const deals = resource(
  "api-v1-deals",
  {
    "GET /": endpoint({
      summary: doc("Lista os negócios", "List deals"),
      scope: "deals:read",
      query: deal.query,
      reply: pageOf(deal.reply),
      verb: "deal_list",
    }),
    "GET /:id": endpoint({
      summary: doc(
        "Mostra um negócio com contato, empresa e última atividade",
        "Show a deal with contact, company and last activity",
      ),
      scope: "deals:read",
      reply: DealDetail,
      verb: "deal_get",
    }),
    "POST /": endpoint({
      summary: doc("Cria um negócio", "Create a deal"),
      scope: "deals:write",
      body: deal.create,
      reply: deal.reply,
      status: 201,
      verb: "deal_create",
      idempotent: true,
      errors: [
        "invalid_reference",
        "no_owner_available",
        "pipeline_not_found",
        "no_default_pipeline",
        "stage_not_found",
        "pipeline_has_no_stage",
      ],
    }),
    "PATCH /:id": endpoint({
      summary: doc("Altera ou reabre um negócio", "Update or reopen a deal"),
      scope: "deals:write",
      body: deal.update,
      reply: deal.reply,
      verb: "deal_update",
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
      errors: ["invalid_reference", "pipeline_not_found", "stage_not_found"],
    }),
    "POST /:id/win": endpoint({
      summary: doc("Marca o negócio como ganho", "Mark the deal won"),
      scope: "deals:write",
      body: Win,
      bodyOptional: true,
      reply: DealAction,
      verb: "deal_win",
    }),
    "POST /:id/lose": endpoint({
      summary: doc("Marca o negócio como perdido", "Mark the deal lost"),
      scope: "deals:write",
      body: Lose,
      bodyOptional: true,
      reply: DealAction,
      verb: "deal_lose",
      errors: ["invalid_reference"],
    }),
  },
  doc("Os negócios, do primeiro contato ao ganho ou à perda", "The deals, from first contact to won or lost"),
);
