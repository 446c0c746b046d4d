import type { ErrorKind } from "./error_kind.ts";

/** The errors that depend on records: missing, wrongly referenced, or in the wrong state. */
export const RECORD_ERRORS = {
  not_found: { status: 404, message: "Registro não encontrado" },
  precondition_failed: {
    status: 412,
    message: "O registro mudou desde a versão de If-Match; leia-o de novo antes de alterar",
  },
  invalid_reference: {
    status: 422,
    message: "Um dos ids informados não existe no workspace",
    field: "Não existe no workspace",
  },
  merged: {
    status: 301,
    message: "Este registro foi unido a outro; use o id indicado",
    field: "Foi unido ao registro indicado",
  },
  record_merged: {
    status: 409,
    message: "Este registro foi unido a outro e nada foi feito; repita com o id indicado",
    field: "Foi unido ao registro indicado",
  },
  record_erased: {
    status: 409,
    message: "Os dados deste contato foram apagados e não voltam",
    field: "Contato cujos dados foram apagados",
  },
  pipeline_not_found: {
    status: 422,
    message: "O pipeline não existe no workspace ou está inativo",
    field: "Pipeline inexistente ou inativo",
  },
  no_default_pipeline: { status: 422, message: "O workspace não tem um pipeline padrão ativo" },
  stage_not_found: {
    status: 422,
    message: "A etapa não pertence ao pipeline ou está inativa",
    field: "Etapa de outro pipeline ou inativa",
  },
  pipeline_has_no_stage: { status: 422, message: "O pipeline não tem nenhuma etapa ativa" },
  owner_unresolved: { status: 422, message: "Nenhum membro ativo pode ser o responsável pelo lead" },
  no_owner_available: { status: 422, message: "Nenhum membro ativo pode ser o responsável pelo registro" },
  external_id_taken: {
    status: 409,
    message: "O external_id já é de outro registro do workspace",
    field: "Já é de outro registro",
  },
  ambiguous_match: {
    status: 409,
    message: "Mais de um registro do workspace tem este valor",
    field: "Este registro tem este valor",
  },
  no_author_available: { status: 422, message: "O criador da chave de API não é mais um membro ativo" },
  webhook_not_found: { status: 404, message: "Assinatura de webhook não encontrada" },
  invalid_event_type: { status: 422, message: "Um dos eventos não existe no catálogo" },
  invalid_target_url: { status: 422, message: "O endereço de destino deve ser https e público" },
  subscription_inactive: {
    status: 409,
    message: "A assinatura está inativa; reative-a antes (POST /api-v1-webhooks/:id/reactivate)",
  },
  queue_full: {
    status: 409,
    message: "Há entregas demais aguardando nesta assinatura; repita quando parte delas tiver sido enviada",
  },
  proposal_expired: { status: 410, message: "O prazo para responder a proposta terminou" },
  proposal_closed: { status: 409, message: "A proposta já foi respondida, e a resposta é definitiva" },
} as const satisfies Record<string, ErrorKind>;
