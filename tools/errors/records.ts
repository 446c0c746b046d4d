import { doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { RECORD_ERRORS } from "../../supabase/functions/_shared/contract/errors/records.ts";
import type { ErrorText } from "./texts.ts";

/** The texts of the errors that depend on the records. */
export const RECORD_ERROR_TEXTS: Record<keyof typeof RECORD_ERRORS, ErrorText> = {
  not_found: {
    when: doc(
      "o registro não existe no workspace, ou o endereço não existe ou ainda não está disponível; a mensagem diz o motivo",
      "the workspace has no such record, or the path does not exist or is not available yet; the message gives the reason",
    ),
    remedy: doc("confira o id ou o endereço", "check the id or the path"),
  },
  precondition_failed: {
    when: doc(
      "PATCH com um `If-Match` que não é a versão atual do registro; nada mudou",
      "a PATCH whose `If-Match` is not the record's current version; nothing was changed",
    ),
    remedy: doc(
      "leia o registro de novo e decida o que alterar agora",
      "read the record again and decide what to change now",
    ),
  },
  invalid_reference: {
    when: doc(
      "um id do corpo, ou de um filtro por responsável, pipeline ou etapa, não é do workspace",
      "an id in the body, or in a filter by owner, pipeline or stage, does not belong to the workspace",
    ),
    remedy: doc(
      "confira o id no campo que `details` aponta; se há `choices`, use um dos ids dela",
      "check the id in the field that `details` names; if there are `choices`, use an id from them",
    ),
  },
  merged: {
    when: doc(
      "GET de um registro que foi unido a outro: `details` traz o id do outro, e `Location`, o endereço dele",
      "GET of a record that was merged into another: `details` has the other record's id, and `Location` its address",
    ),
    remedy: doc("daqui em diante, use esse id", "use that id from now on"),
  },
  record_merged: {
    when: doc(
      "o registro foi unido a outro e não pode ser alterado; `details` traz o id do outro",
      "the record was merged into another and cannot be changed; `details` has the other record's id",
    ),
    remedy: doc(
      "para alterar o registro que permaneceu, use o id que está em `details`",
      "to change the remaining record, use the id in `details`",
    ),
  },
  record_erased: {
    when: doc(
      "os dados do contato foram apagados; o contato não pode ser alterado, restaurado nem unido",
      "the contact's data was erased; the contact cannot be changed, restored or merged",
    ),
    remedy: doc("crie outro contato", "create another contact"),
  },
  pipeline_not_found: {
    when: doc("o workspace não tem esse pipeline ativo", "the workspace has no such active pipeline"),
    remedy: doc("veja `GET /api-v1-pipelines`", "see `GET /api-v1-pipelines`"),
  },
  no_default_pipeline: {
    when: doc(
      "a chamada não tem `pipeline_id`, e o workspace não tem um pipeline padrão ativo",
      "the call has no `pipeline_id`, and the workspace has no active default pipeline",
    ),
    remedy: doc(
      "envie `pipeline_id`, ou peça ao operador que defina um pipeline padrão",
      "send `pipeline_id`, or ask the operator to set a default pipeline",
    ),
  },
  stage_not_found: {
    when: doc(
      "a etapa não é do pipeline (em leads: ou do workspace), ou está inativa",
      "the stage does not belong to the pipeline (for leads: or to the workspace), or is inactive",
    ),
    remedy: doc("veja `GET /api-v1-pipelines`", "see `GET /api-v1-pipelines`"),
  },
  pipeline_has_no_stage: {
    when: doc("o pipeline não tem etapa ativa", "the pipeline has no active stage"),
    remedy: doc("peça ao operador que ative uma etapa", "ask the operator to activate a stage"),
  },
  owner_unresolved: {
    when: doc(
      "leads: nenhum membro ativo pode ser o responsável",
      "leads: no active member can be the owner",
    ),
    remedy: doc(
      "envie o `owner_id` de um membro ativo, ou peça que ativem um administrador ou gestor",
      "send the `owner_id` of an active member, or ask for an administrator or manager to be activated",
    ),
  },
  no_owner_available: {
    when: doc(
      "outros registros: nenhum membro ativo pode ser o responsável",
      "other records: no active member can be the owner",
    ),
    remedy: doc(
      "envie o `owner_id` de um membro ativo, ou peça que ativem um administrador ou gestor",
      "send the `owner_id` of an active member, or ask for an administrator or manager to be activated",
    ),
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
      "upsert: vários registros têm o valor enviado no campo de `match_by`; `details` traz os ids deles",
      "upsert: several records have the value sent in the `match_by` field; `details` has their ids",
    ),
    remedy: doc(
      "procure por outro campo, altere um dos registros pelo id, ou una os repetidos",
      "match by another field, change one of the records by its id, or merge the duplicates",
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
    when: doc("nunca: o código é `not_found`", "never: the code is `not_found`"),
    remedy: doc("trate `not_found`", "handle `not_found`"),
  },
  invalid_event_type: {
    when: doc("um dos tipos de evento não existe", "one of the event types does not exist"),
    remedy: doc("veja os tipos na página de webhooks", "see the types on the webhooks page"),
  },
  invalid_target_url: {
    when: doc(
      "o destino não é https, não é público, tem usuário, senha ou fragmento, ou usa uma porta abaixo de 1024 que não é 443",
      "the target is not https, is not public, has a user, a password or a fragment, or uses a port below 1024 other than 443",
    ),
    remedy: doc("use um endereço https público; veja `details`", "use a public https address; see `details`"),
  },
  subscription_inactive: {
    when: doc(
      "teste, reenvio ou recuperação: a assinatura de webhook está inativa",
      "test, redelivery or recovery: the webhook subscription is inactive",
    ),
    remedy: doc(
      "antes, reative a assinatura (`reactivate`)",
      "reactivate the subscription first (`reactivate`)",
    ),
  },
  queue_full: {
    when: doc(
      "teste, reenvio ou recuperação: a fila de entregas da assinatura de webhook está cheia",
      "test, redelivery or recovery: the webhook subscription's queue of deliveries is full",
    ),
    remedy: doc(
      "repita quando o destino tiver recebido parte das entregas; remova as assinaturas que não usa",
      "repeat the call once the target has received some deliveries; delete subscriptions that you do not use",
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
