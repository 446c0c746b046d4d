import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { RECORD_ERRORS } from "../../supabase/functions/_shared/contract/errors/records.ts";
import type { ErrorText } from "./texts.ts";

/** The texts of the errors that depend on the records. */
export const RECORD_ERROR_TEXTS: Record<keyof typeof RECORD_ERRORS, ErrorText> = {
  not_found: {
    when: doc(
      "o registro não existe no workspace, o endereço não existe, ou o endereço ainda não está disponível: a mensagem diz qual",
      "the record does not exist in the workspace, the path does not exist, or the path is not live yet: the message says which",
    ),
    remedy: doc("confira o id ou o endereço", "check the id, or the path"),
  },
  precondition_failed: {
    when: doc(
      "PATCH com um `If-Match` que não é a versão atual do registro; nada mudou",
      "a PATCH whose `If-Match` is not the record's current version; nothing was changed",
    ),
    remedy: doc(
      "leia o registro de novo e decida outra vez o que alterar",
      "read the record again, and decide again what to change",
    ),
  },
  invalid_reference: {
    when: doc(
      "um id do corpo, ou de um filtro por responsável, pipeline ou etapa, não é do workspace",
      "an id in the body, or in a filter by owner, pipeline or stage, does not belong to the workspace",
    ),
    remedy: doc(
      "use um dos ids de `choices`, se há, ou confira o id do campo que `details` aponta",
      "use one of the ids in `choices`, if there are any, or check the id in the field that `details` names",
    ),
  },
  merged: {
    when: doc(
      "GET de um registro que foi unido a outro, cujo id está em `details` e cujo endereço está em `Location`",
      "GET of a record that was merged into another one, whose id is in `details` and whose address is in `Location`",
    ),
    remedy: doc("daqui em diante, use esse id", "use that id from now on"),
  },
  record_merged: {
    when: doc(
      "o registro foi unido a outro, cujo id está em `details`: não pode ser alterado, e nada foi feito",
      "the record was merged into another one, whose id is in `details`: a merged record cannot be changed, and nothing was done",
    ),
    remedy: doc(
      "se quer alterar o registro que permaneceu, use o id que está em `details`",
      "to change the remaining record, use the id in `details`",
    ),
  },
  record_erased: {
    when: doc(
      "os dados do contato foram apagados: ele não pode ser alterado, restaurado nem unido",
      "the data of the contact was erased: it cannot be changed, restored or merged",
    ),
    remedy: doc("crie outro contato", "create another contact"),
  },
  pipeline_not_found: {
    when: doc(
      "o `pipeline_id` não é do workspace, ou está inativo",
      "the pipeline does not belong to the workspace, or is inactive",
    ),
    remedy: doc("veja `GET /api-v1-pipelines`", "see `GET /api-v1-pipelines`"),
  },
  no_default_pipeline: {
    when: doc(
      "sem `pipeline_id`, e o workspace não tem um pipeline padrão ativo",
      "no `pipeline_id`, and the workspace has no active default pipeline",
    ),
    remedy: doc(
      "informe o `pipeline_id`, ou defina um pipeline padrão",
      "send `pipeline_id`, or set a default pipeline",
    ),
  },
  stage_not_found: {
    when: doc(
      "o `stage_id` não é do pipeline, ou está inativo; em leads: ou não é do workspace",
      "the stage does not belong to the pipeline, or is inactive; for leads also if it does not belong to the workspace",
    ),
    remedy: doc("veja `GET /api-v1-pipelines`", "see `GET /api-v1-pipelines`"),
  },
  pipeline_has_no_stage: {
    when: doc("o pipeline não tem etapa ativa", "the pipeline has no active stage"),
    remedy: doc("peça que ativem uma etapa", "ask for a stage to be activated"),
  },
  owner_unresolved: {
    when: doc(
      "leads: nenhum membro ativo pode ser o responsável",
      "leads: no active member can be the owner",
    ),
    remedy: doc("peça que ativem um membro", "ask for a member to be activated"),
  },
  no_owner_available: {
    when: doc(
      "outros registros: nenhum membro ativo pode ser o responsável",
      "other records: no active member can be the owner",
    ),
    remedy: doc("peça que ativem um membro", "ask for a member to be activated"),
  },
  external_id_taken: {
    when: doc(
      "contatos e empresas: outro registro já tem esse `external_id`; `details` traz o id dele",
      "contacts and companies: another record has that `external_id`; `details` has its id",
    ),
    remedy: doc(
      "altere aquele registro, ou envie outro `external_id`",
      "change that record, or send another `external_id`",
    ),
  },
  ambiguous_match: {
    when: doc(
      "upsert: vários registros têm o valor do campo em `match_by`; `details` traz o id de cada um",
      "upsert: several records have the value of the field in `match_by`; `details` has the id of each",
    ),
    remedy: doc(
      "procure por outro campo, altere um dos registros pelo id, ou una os repetidos",
      "match by another field, change one of the records by its id, or merge them",
    ),
  },
  no_author_available: {
    when: doc(
      "anotações: quem criou a chave não é mais um membro ativo",
      "notes: the key's creator is no longer an active member",
    ),
    remedy: doc("use outra chave", "use another key"),
  },
  webhook_not_found: {
    when: doc(
      "reservado; excluir uma assinatura que não existe responde `not_found`",
      "reserved; deleting an unknown subscription answers `not_found`",
    ),
    remedy: doc("trate `not_found`", "handle `not_found` instead"),
  },
  invalid_event_type: {
    when: doc("um evento não está no catálogo", "an event is not in the catalog"),
    remedy: doc("veja os eventos na página de webhooks", "see the events on the webhooks page"),
  },
  invalid_target_url: {
    when: doc(
      "o destino não é https ou não é público, a porta é menor que 1024 e não é 443, ou ele tem usuário, senha ou fragmento",
      "the target is not https or not public, its port is below 1024 and not 443, or it has a user, a password or a fragment",
    ),
    remedy: doc("use um endereço público", "use a public address"),
  },
  subscription_inactive: {
    when: doc(
      "teste, reenvio ou recuperação em uma assinatura de webhook inativa",
      "a test, a redelivery or a recovery for a webhook subscription that is inactive",
    ),
    remedy: doc("antes, reative a assinatura (`reactivate`)", "reactivate it first (`reactivate`)"),
  },
  queue_full: {
    when: doc(
      "teste, reenvio ou recuperação em uma assinatura de webhook em que já aguarda o máximo de entregas",
      "a test, a redelivery or a recovery for a webhook subscription that already has the maximum of waiting deliveries",
    ),
    remedy: doc(
      "repita quando o destino tiver recebido parte delas; remova as assinaturas que não usa",
      "repeat the call once the receiver has got some of them; delete subscriptions that you do not use",
    ),
  },
  proposal_expired: {
    when: doc(
      "link público: a proposta não foi respondida no prazo",
      "public link: the proposal was not answered in time",
    ),
    remedy: doc("envie outra proposta", "send another proposal"),
  },
  proposal_closed: {
    when: doc(
      "link público: a proposta já recebeu a resposta contrária",
      "public link: the proposal was already answered the other way",
    ),
    remedy: doc("nada: a resposta é definitiva", "nothing: the answer is final"),
  },
};
