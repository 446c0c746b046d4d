// Suggests a valid name for an unknown name. Loaded only when an error has an unknown name.
import type { FieldError } from "../contract/errors.ts";
import { editDistance } from "../runtime/edit_distance.ts";
import { NEAR, type UnknownDetail } from "./unknown_names.ts";

/**
 * For each valid name, the names that people send instead, from other CRMs or Portuguese, in lower case and without
 * accents. If an unknown name is listed for several valid names, the first that the call accepts is suggested.
 */
const MEANT_BY: Readonly<Record<string, string>> = {
  name: "nome title titulo full_name nome_completo fullname company_name display_name razao_social",
  first_name: "name nome full_name primeiro_nome firstname given_name contact_name",
  last_name: "sobrenome surname family_name lastname",
  company_name: "company empresa organization organizacao account",
  title: "name nome titulo subject assunto deal_name dealname",
  legal_name: "razao_social",
  value: "amount valor price preco total deal_value valor_total",
  recurring_value: "mrr arr monthly_value valor_mensal valor_recorrente recorrencia",
  owner_id:
    "owner assigned_to assignee user user_id member_id responsavel responsavel_id vendedor vendedor_id seller_id " +
    "owner_email",
  stage_id: "stage etapa etapa_id fase status_id",
  pipeline_id: "pipeline funil funil_id funnel",
  contact_id: "contact contato contato_id person person_id cliente cliente_id lead_id",
  company_id: "company empresa empresa_id organization organization_id org_id account account_id",
  deal_id: "deal negocio negocio_id opportunity opportunity_id",
  loss_reason_id: "loss_reason lost_reason reason reason_id motivo motivo_id motivo_perda",
  loss_note: "note comment comentario observacao",
  phone: "mobile telefone celular fone tel phone_number mobile_phone",
  whatsapp: "wpp zap celular",
  email: "mail e_mail email_address correio",
  tax_id: "cnpj cpf vat tax_number document documento",
  job_title: "cargo role position funcao",
  website: "site url web",
  domain: "dominio site",
  employee_count: "employees funcionarios num_employees",
  industry: "setor segmento sector segment ramo",
  address: "endereco",
  body: "text texto content conteudo note nota description descricao message mensagem",
  description: "body text texto note notes nota descricao observacao details",
  notes: "note nota body description descricao observacoes comments",
  kind: "type tipo",
  type: "kind tipo activity_type",
  due_at: "due due_date prazo vencimento date data scheduled_at start_time",
  duration_minutes: "duration duracao minutes",
  location: "place local address",
  meeting_url: "url link meeting_link",
  expected_close_date: "close_date closing_date expected_close previsao fechamento",
  status: "state situacao",
  source: "origin origem channel canal lead_source utm_source",
  external_id: "ref reference external_reference source_id id_externo",
  custom_fields: "custom fields properties campos campos_personalizados",
  target_url: "url callback_url endpoint webhook_url",
  event_types: "events event eventos event_type topics",
  match_by: "match key by id_property",
  merge_id: "other_id source_id duplicate_id contact_id company_id id merge_with",
  q: "query search busca term text name nome title",
  limit: "page_size per_page pagesize size top count",
  cursor: "page page_token next next_cursor after starting_after offset",
  since: "from start start_date created_after created_since created_at",
  until: "to end end_date created_before created_until",
  updated_since: "updated_after modified_since updated_at",
  closed_since: "closed_after won_since closed_at",
  closed_until: "closed_before won_until",
  id: "deal_id contact_id company_id activity_id note_id webhook_id record_id uuid",
};

/** Maximum characters of an unknown name for which a valid name is looked up. */
const MAX_LENGTH = 40;

/**
 * Adds the nearest valid name to each detail about an unknown name. Drops the details marked `if near` for which there
 * is no near name.
 *
 * @param budget how many more unknown names may be looked up; each look-up reduces it, so that thousands of names do
 *  not take long
 */
export function nameNearest(details: readonly FieldError[], budget: { left: number }): FieldError[] {
  return details.flatMap((detail: UnknownDetail) => {
    const near = detail[NEAR];
    if (near === undefined) return detail;
    const meant = budget.left-- > 0 ? nearestName(near.name, near.among) : null;
    if (meant !== null) return { ...detail, message: `${detail.message}; talvez "${meant}"` };
    return near.named === "error" ? detail : [];
  });
}

/**
 * The nearest valid name, or null. Tries in order: the unknown name in snake case (`deal_id` for `dealId`); this with
 * `_id` added; a name for which MEANT_BY lists the unknown name; the name with the fewest typing mistakes, at most one
 * per three letters and three in all.
 */
export function nearestName(unknown: string, valid: readonly string[]): string | null {
  if (unknown.length > MAX_LENGTH) return null;
  const name = normalized(unknown);
  if (valid.includes(name)) return name;
  if (valid.includes(`${name}_id`)) return `${name}_id`;
  const meant = Object.keys(MEANT_BY).find((meant) =>
    valid.includes(meant) && MEANT_BY[meant]!.split(" ").includes(name)
  );
  if (meant !== undefined) return meant;
  const most = Math.min(Math.floor(name.length / 3), 3);
  const [nearest] = valid.map((other) => ({ other, distance: editDistance(name, other) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return nearest?.other ?? null;
}

/** The name in snake case without accents: `externalId` and `External-Id` become `external_id`. */
function normalized(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
}
