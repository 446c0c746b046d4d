import { doc, type FieldDocs } from "../../supabase/functions/_shared/contract/doc.ts";

/** Texts of the fields that have the same meaning in every schema. The texts of a schema take precedence. */
export const COMMON_FIELDS: FieldDocs = {
  id: doc("Identificador do registro", "The record's id"),
  workspace_id: doc(
    "Workspace do registro, sempre o da chave de API",
    "The record's workspace, always the API key's",
  ),
  created_at: doc("Quando o registro foi criado", "When the record was created"),
  updated_at: doc("Quando o registro mudou pela última vez", "When the record last changed"),
  owner_id: doc(
    "Membro responsável (GET /api-v1-workspace); se ausente na criação, o criador da chave ou, se inativo, o gestor ativo " +
      "mais antigo",
    "The member in charge (GET /api-v1-workspace); if absent on creation, the key's creator or, if inactive, the oldest " +
      "active manager",
  ),
  contact_id: doc(
    "Contato, do mesmo workspace (GET /api-v1-contacts)",
    "A contact of the same workspace (GET /api-v1-contacts)",
  ),
  company_id: doc(
    "Empresa, do mesmo workspace (GET /api-v1-companies)",
    "A company of the same workspace (GET /api-v1-companies)",
  ),
  deal_id: doc(
    "Negócio, do mesmo workspace (GET /api-v1-deals)",
    "A deal of the same workspace (GET /api-v1-deals)",
  ),
  pipeline_id: doc(
    "Pipeline (GET /api-v1-pipelines); se ausente, o padrão do workspace",
    "The pipeline (GET /api-v1-pipelines); if absent, the workspace's default",
  ),
  stage_id: doc(
    "Etapa (GET /api-v1-pipelines); se ausente na criação, a primeira do pipeline",
    "The stage (GET /api-v1-pipelines); if absent on creation, the pipeline's first",
  ),
  external_id: doc(
    "Identificador no sistema de origem",
    "The id in the system that the record comes from",
    "form-2026-0042",
  ),
  source: doc("Origem, em texto livre", "Where the record comes from, in free text", "Formulário do site"),
  value: doc("Valor, sem símbolo de moeda", "The amount, without a currency symbol", 12500.5),
  recurring_value: doc(
    "Valor recorrente (mensal), sem símbolo de moeda",
    "The recurring (monthly) amount, without a currency symbol",
    990,
  ),
  email: doc(
    "E-mail, guardado em minúsculas",
    "E-mail address, stored in lower case",
    "ana@padariasol.com.br",
  ),
  phone: doc("Telefone", "Phone number", "+55 11 91234-5678"),
  linkedin: doc("Perfil no LinkedIn", "LinkedIn profile"),
  instagram: doc("Perfil no Instagram", "Instagram profile", "@padariasol"),
  notes: doc("Anotações livres", "Free notes"),
  custom_fields: doc(
    "Campos livres do integrador: no máximo 50 chaves e 10 KB; uma alteração mantém as chaves não enviadas, e null remove uma",
    "The integrator's own fields: at most 50 keys and 10 KB; a change keeps the keys that it does not send, and null removes one",
    { segmento: "alimentação" },
  ),
  tags: doc(
    "Etiquetas: no máximo 50, de 1 a 60 caracteres, sem distinguir maiúsculas",
    "Tags: at most 50, of 1 to 60 characters, ignoring case",
    ["cliente-novo"],
  ),
  archived_at: doc(
    "Desde quando está arquivado, e fora das listas",
    "Since when it is archived, and left out of lists",
    null,
  ),
  is_active: doc("Se está em uso", "Whether it is in use", true),
  idempotent: doc(
    "true quando a chamada encontrou o resultado pronto e nada mudou",
    "true if the result already existed and the call changed nothing",
  ),
  data: doc("Os registros", "The records"),
  next_cursor: doc(
    "Cursor da próxima página; null na última",
    "Cursor of the next page; null on the last",
    null,
  ),
  synced_until: doc(
    "Na primeira página de uma lista com updated_since: o updated_since da próxima sincronização",
    "On the first page of a list with updated_since: the updated_since for the next synchronisation",
    "2026-09-30T14:04:00.000Z",
  ),
  has_more: doc(
    "Se há mais uma página, mesmo que esta tenha menos registros que limit, ou nenhum",
    "Whether there is another page, even if this one has fewer records than limit, or none",
  ),
};

/** Texts of the query parameters that several lists share. */
export const FILTERS: FieldDocs = {
  limit: doc(
    "Máximo de registros por página. Uma página pode ter menos: continue até has_more ser false. Um valor acima de 200 " +
      "é reduzido a 200",
    "The maximum number of records on a page. A page may have fewer: continue until has_more is false. A value above 200 is " +
      "reduced to 200",
  ),
  cursor: doc("O meta.next_cursor da página anterior", "The previous page's meta.next_cursor"),
  since: doc(
    "Só registros criados a partir deste momento, em ISO 8601. Sem fuso, é UTC; uma data sozinha é o início do dia",
    "Only records created at or after this moment, in ISO 8601. Without an offset it is UTC; a date alone is the start of the day",
  ),
  until: doc(
    "Só registros criados antes deste momento, nas mesmas formas que since",
    "Only records created before this moment, in the same forms as since",
  ),
  updated_since: doc(
    "Só registros alterados a partir deste momento, nas mesmas formas que since",
    "Only records that changed at or after this moment, in the same forms as since",
  ),
  owner_id: doc("Só os deste membro responsável", "Only those of this member in charge"),
  contact_id: doc("Só os deste contato", "Only those of this contact"),
  company_id: doc("Só os desta empresa", "Only those of this company"),
  deal_id: doc("Só os deste negócio", "Only those of this deal"),
  pipeline_id: doc("Só os deste pipeline", "Only those of this pipeline"),
  stage_id: doc("Só os desta etapa", "Only those of this stage"),
  external_id: doc(
    "Só os que têm este identificador no sistema de origem",
    "Only those with this id in the system that they come from",
  ),
  status: doc(
    "Só os que estão nesta situação, ou em qualquer uma de várias, separadas por vírgulas",
    "Only those in this state, or in any of several states, separated by commas",
  ),
};
