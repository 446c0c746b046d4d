import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { activity } from "../api-v1-activities/record.ts";
import { company } from "../api-v1-companies/record.ts";
import { contact } from "../api-v1-contacts/record.ts";
import { LeadSubmission } from "../api-v1-leads/schema.ts";
import { deal } from "./record.ts";

const fields = deal.texts();

/** A deal with its contact, its company, its newest activity (spec 4.6) and the lead that it came from. */
export const DealDetail = deal.reply.extend({
  contact: contact.reply.nullable(),
  company: company.reply.nullable(),
  last_activity: activity.reply.nullable(),
  lead: LeadSubmission.nullable(),
}).meta({
  id: "DealDetail",
  ...doc(
    "Um negócio com contato, empresa, última atividade e o lead enviado",
    "A deal with contact, company, last activity and the lead that was sent",
  ),
  fields: {
    ...fields,
    lead: doc(
      "O que POST leads recebeu, como foi digitado; null se o negócio não veio de um lead",
      "What POST leads received, as it was typed; null if the deal did not come from a lead",
    ),
  },
});

const amounts = { count: z.int(), value: z.number(), recurring_value: z.number() };
const amountTexts = {
  count: doc("Quantos negócios", "How many deals", 12),
  value: doc("Soma de value", "Sum of value", 150_006.5),
  recurring_value: doc("Soma de recurring_value", "Sum of recurring_value", 11_880),
};

/** Counts and sums of deals by pipeline, stage and status. */
export const DealSummary = z.object({
  data: z.array(
    z.object({ pipeline_id: uuid(), stage_id: uuid(), status: deal.reply.shape["status"]!, ...amounts }).meta(
      {
        fields: {
          ...amountTexts,
          pipeline_id: doc("O pipeline", "The pipeline"),
          stage_id: doc("A etapa", "The stage"),
          status: fields["status"]!,
        },
      },
    ),
  ),
  totals: z.object(amounts).meta({ fields: amountTexts }),
}).meta({
  id: "DealSummary",
  ...doc("Quantos negócios há e quanto somam", "How many deals there are, and their sums"),
  fields: {
    data: doc(
      "Um item por pipeline, etapa e situação em que há negócios",
      "An item for each pipeline, stage and status that has deals",
    ),
    totals: doc("A soma de data", "The sum of data"),
  },
});

export const MoveStage = z.object({ stage_id: uuid(), pipeline_id: uuid().nullish() }).meta({
  id: "MoveStage",
  ...doc("Para onde o negócio vai", "The stage to move the deal to"),
  fields: {
    stage_id: doc("A nova etapa", "The new stage"),
    pipeline_id: doc(
      "O pipeline da etapa; o do negócio se ausente",
      "The stage's pipeline; the deal's if absent",
    ),
  },
});

/** The body of win (spec 3): the final amounts, if they differ from the deal's. */
export const Win = z.object(deal.rules("value", "recurring_value")).meta({
  id: "Win",
  ...doc("Os valores finais, se outros", "The final amounts, where they differ", { value: 14000 }),
  fields,
});

export const Lose = z.object(deal.rules("loss_reason_id", "loss_note")).meta({
  id: "Lose",
  ...doc("Por que se perdeu", "Why it was lost", { loss_note: "Escolheu outro fornecedor" }),
  fields,
});

/** The reply to an action (spec 3): the deal, and whether it already was in the requested state. */
export const DealAction = deal.reply.extend({ idempotent: z.boolean() }).meta({
  id: "DealAction",
  ...doc("O negócio depois da ação", "The deal after the action"),
  fields,
});
