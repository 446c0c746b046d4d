import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { extended, field, object } from "../_shared/contract/object.ts";
import { cursor, PageMeta, several } from "../_shared/contract/pagination.ts";
import { EXPAND } from "../_shared/contract/record.ts";
import { activity } from "../api-v1-activities/record.ts";
import { company } from "../api-v1-companies/record.ts";
import { contact } from "../api-v1-contacts/record.ts";
import { LeadSubmission } from "../api-v1-leads/schema.ts";
import { DealContact } from "./contacts.ts";
import { deal } from "./record.ts";

const fields = deal.texts();

/** A deal with its contact, its company, its newest activity (spec 4.6) and its lead. */
export const DealDetail = extended(deal.shown, {
  contact: contact.reply.nullable(),
  company: company.reply.nullable(),
  last_activity: activity.reply.nullable(),
  contacts: field(z.array(DealContact).optional(), [
    "Só com expand=contacts: todos os contatos do negócio, com o papel de cada um",
    "Only with expand=contacts: all contacts of the deal with their roles",
  ]),
  lead: field(LeadSubmission.nullable(), [
    "O que POST leads recebeu, como foi digitado; null se o negócio não veio de um lead",
    "What POST leads received, as it was typed; null if the deal did not come from a lead",
  ]),
}).meta(
  named(
    "DealDetail",
    "Um negócio com contato, empresa, última atividade e o lead enviado",
    "A deal with contact, company, last activity and the lead that was sent",
  ),
);

/** The values of `expand` for a single deal: those of the list, and `contacts`. */
export const DETAIL_EXPANSIONS = [...Object.keys(deal.expansions), "contacts"];

export const DealDetailQuery = z.object({
  expand: several(z.enum(DETAIL_EXPANSIONS)).optional().meta(EXPAND),
});

const amounts = {
  count: field(z.int(), ["Quantos negócios", "How many deals", 12]),
  value: field(z.number(), ["Soma de value", "Sum of value", 150_006.5]),
  recurring_value: field(z.number(), ["Soma de recurring_value", "Sum of recurring_value", 11_880]),
};

const Group = object({
  pipeline_id: field(uuid(), ["O pipeline", "The pipeline"]),
  stage_id: field(uuid(), ["A etapa", "The stage"]),
  status: { schema: deal.reply.shape["status"]!, text: fields["status"]! },
  ...amounts,
});

const KeyedGroup = object({
  key: field(z.string().nullable(), [
    "O id do responsável ou da etapa, o mês, ou a origem; null se o negócio não tem",
    "The id of the owner or stage, the month, or the source; null if the deal has none",
    "2026-12",
  ]),
  name: field(z.string().nullable(), [
    "O nome do responsável ou da etapa; nos outros, o mesmo que key",
    "The name of the owner or stage; otherwise the same as key",
    "2026-12",
  ]),
  ...amounts,
});

export const DealSummary = object({
  data: field(z.array(Group), [
    "Um item por pipeline, etapa e situação em que há negócios",
    "An item for each pipeline, stage and status that has deals",
  ]),
  totals: field(object(amounts), ["A soma de data", "The sum of data"]),
  groups: {
    schema: z.array(KeyedGroup).optional(),
    text: doc(
      "Um item por valor de group_by, do maior ao menor",
      "An item for each value of group_by, largest first",
    ),
  },
}).meta(
  named("DealSummary", "Quantos negócios há e quanto somam", "How many deals there are, and their sums"),
);

export const MoveStage = object({
  stage_id: field(uuid(), ["A nova etapa", "The new stage"]),
  pipeline_id: field(uuid().nullish(), [
    "O pipeline da etapa; o do negócio se ausente",
    "The stage's pipeline; the deal's if absent",
  ]),
}).meta(
  named(
    "MoveStage",
    "Para onde o negócio vai. A etapa não muda a situação: isso fazem POST /api-v1-deals/<id>/win e POST " +
      "/api-v1-deals/<id>/lose",
    "The stage to move the deal to. A stage does not change the status: POST /api-v1-deals/<id>/win and POST " +
      "/api-v1-deals/<id>/lose do",
  ),
);

export const Reassign = object({
  from_owner_id: field(uuid(), ["De quem são os negócios", "The member who owns the deals"]),
  to_owner_id: field(uuid(), ["Quem os recebe, um membro ativo", "The active member who gets them"]),
  status: {
    schema: (deal.reply.shape["status"] as z.ZodEnum).nullish(),
    text: { ...fields["status"]!, ...doc("Só os nesta situação", "Only those in this state", "aberto") },
  },
  cursor: field(cursor().nullish(), [
    "O meta.next_cursor da chamada anterior",
    "The previous call's meta.next_cursor",
  ]),
  dry_run: field(z.boolean().nullish(), [
    "true: só conta, e nada muda",
    "true: only counts, and changes nothing",
    false,
  ]),
}).meta(named("Reassign", "De quem e para quem os negócios vão", "From whom and to whom the deals go"));

/** The reply to a reassignment: how many deals this call reassigned, and whether more remain. */
export const Reassigned = object({
  count: field(z.int(), ["Quantos negócios mudaram de responsável", "How many deals were handed over", 12]),
  dry_run: field(z.boolean(), [
    "true: nada mudou; count diz quantos mudariam",
    "true: nothing changed; count is how many would change",
    false,
  ]),
  meta: PageMeta,
}).meta(named("Reassigned", "O que a chamada passou adiante", "What the call handed over"));

/** The body of win (spec 3): the final amounts, if they differ from the deal's. */
export const Win = z.object(deal.rules("value", "recurring_value")).meta({
  ...named("Win", "Os valores finais, se mudaram", "The final amounts, if they have changed", {
    value: 14000,
  }),
  fields,
});

export const Lose = z.object(deal.rules("loss_reason_id", "loss_note")).meta({
  ...named("Lose", "Por que se perdeu", "Why it was lost", { loss_note: "Escolheu outro fornecedor" }),
  fields,
});

/** The reply to an action (spec 3): the deal, and whether it already was in the requested state. */
export const DealAction = extended(deal.reply, { idempotent: z.boolean() })
  .meta(named("DealAction", "O negócio depois da ação", "The deal after the action"));
