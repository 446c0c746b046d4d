import type { ErrorKind } from "./error_kind.ts";

/** The errors that depend on the records: those that are missing, refer to each other, or are in another state. */
export const RECORD_ERRORS = {
  not_found: {
    status: 404,
    message: "Registro não encontrado",
    when:
      "no such record in the workspace, no such path, or one that is not live yet: the message says which",
    remedy: "check the id, or the path",
  },
  precondition_failed: {
    status: 412,
    message: "O registro mudou desde a versão de If-Match; leia-o de novo antes de alterar",
    when: "a PATCH whose `If-Match` does not name the record's version; nothing was changed",
    remedy: "read the record again, and decide anew what to change",
  },
  invalid_reference: {
    status: 422,
    message: "Um dos ids informados não existe no workspace",
    field: "Não existe no workspace",
    when: "an id in the body is not of the workspace",
    remedy: "check the id",
  },
  merged: {
    status: 301,
    message: "Este registro foi unido a outro; use o id indicado",
    field: "Foi unido ao registro indicado",
    when:
      "GET of a record that was merged into another one, whose id is in `details` and whose address is in `Location`",
    remedy: "use that id from now on",
  },
  record_merged: {
    status: 409,
    message: "Este registro foi unido a outro e nada foi feito; repita com o id indicado",
    field: "Foi unido ao registro indicado",
    when:
      "the record was merged into another one, whose id is in `details`: it cannot be changed, and nothing was done",
    remedy: "decide whether the one that stays is meant, and use its id",
  },
  record_erased: {
    status: 409,
    message: "Os dados deste contato foram apagados e não voltam",
    field: "Contato cujos dados foram apagados",
    when: "the data of the contact was erased: it cannot be changed, restored or merged",
    remedy: "create another contact",
  },
  pipeline_not_found: {
    status: 422,
    message: "O pipeline não existe no workspace ou está inativo",
    field: "Pipeline inexistente ou inativo",
    when: "`pipeline_id` is not of the workspace, or inactive",
    remedy: "see `GET /api-v1-pipelines`",
  },
  no_default_pipeline: {
    status: 422,
    message: "O workspace não tem um pipeline padrão ativo",
    when: "no `pipeline_id`, and no active default pipeline",
    remedy: "name one, or set a default",
  },
  stage_not_found: {
    status: 422,
    message: "A etapa não pertence ao pipeline ou está inativa",
    field: "Etapa de outro pipeline ou inativa",
    when: "`stage_id` is not of the pipeline, or inactive; leads: or not of the workspace",
    remedy: "see `GET /api-v1-pipelines`",
  },
  pipeline_has_no_stage: {
    status: 422,
    message: "O pipeline não tem nenhuma etapa ativa",
    when: "the pipeline has no active stage",
    remedy: "activate one",
  },
  owner_unresolved: {
    status: 422,
    message: "Nenhum membro ativo pode ser o responsável pelo lead",
    when: "leads: no active member can own it",
    remedy: "activate a member",
  },
  no_owner_available: {
    status: 422,
    message: "Nenhum membro ativo pode ser o responsável pelo registro",
    when: "other records: no active member can own it",
    remedy: "activate a member",
  },
  external_id_taken: {
    status: 409,
    message: "O external_id já é de outro registro do workspace",
    field: "Já é de outro registro",
    when: "contacts and companies: another record has that `external_id`; `details` has its id",
    remedy: "change that record, or send another `external_id`",
  },
  ambiguous_match: {
    status: 409,
    message: "Mais de um registro do workspace tem este valor",
    field: "Este registro tem este valor",
    when: "upsert: several records have the value of the field in `match_by`; `details` has the id of each",
    remedy: "match by another field, change one of the records by its id, or merge them",
  },
  no_author_available: {
    status: 422,
    message: "O criador da chave de API não é mais um membro ativo",
    when: "notes: the key's creator is no active member",
    remedy: "use another key",
  },
  webhook_not_found: {
    status: 404,
    message: "Assinatura de webhook não encontrada",
    when: "reserved; deleting an unknown subscription answers `not_found`",
    remedy: "handle `not_found` instead",
  },
  invalid_event_type: {
    status: 422,
    message: "Um dos eventos não existe no catálogo",
    when: "an event is not in the catalog",
    remedy: "see the events in docs/webhooks.md",
  },
  invalid_target_url: {
    status: 422,
    message: "O endereço de destino deve ser https e público",
    when:
      "the target is not https or not public, its port is below 1024 and not 443, or it has a user, a password or a fragment",
    remedy: "use a public address",
  },
  subscription_inactive: {
    status: 409,
    message: "A assinatura está inativa; reative-a antes",
    when: "a test, a redelivery or a recovery for a webhook subscription that is inactive",
    remedy: "`POST /api-v1-webhooks/<id>/reactivate` first",
  },
  proposal_expired: {
    status: 410,
    message: "O prazo para responder a proposta terminou",
    when: "public link: the proposal was not answered in time",
    remedy: "send another proposal",
  },
  proposal_closed: {
    status: 409,
    message: "A proposta já foi respondida, e a resposta é definitiva",
    when: "public link: the proposal was already answered the other way",
    remedy: "nothing: the answer is final",
  },
} as const satisfies Record<string, ErrorKind>;
