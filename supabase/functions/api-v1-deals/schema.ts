import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { uuid } from "../_shared/contract/fields.ts";
import { activity } from "../api-v1-activities/record.ts";
import { company } from "../api-v1-companies/record.ts";
import { contact } from "../api-v1-contacts/record.ts";
import { deal } from "./record.ts";

const fields = deal.texts();

/** A deal with its contact, its company and the activity that was created last (spec 4.6). */
export const DealDetail = deal.reply.extend({
  contact: contact.reply.nullable(),
  company: company.reply.nullable(),
  last_activity: activity.reply.nullable(),
}).meta({
  id: "DealDetail",
  ...doc(
    "Um negócio com contato, empresa e última atividade",
    "A deal with contact, company and last activity",
  ),
  fields,
});

/** Body of move-stage (spec 3). */
export const MoveStage = z.object({ stage_id: uuid(), pipeline_id: uuid().nullish() }).meta({
  id: "MoveStage",
  ...doc("Para onde o negócio vai", "The stage to move the deal to"),
  fields: {
    stage_id: doc("A nova etapa", "The new stage"),
    pipeline_id: doc(
      "O pipeline da etapa; o do negócio se ausente",
      "The stage's pipeline; the deal's where absent",
    ),
  },
});

/** Body of win (spec 3): the final amounts, if they differ from those of the deal. */
export const Win = z.object(deal.rules("value", "recurring_value")).meta({
  id: "Win",
  ...doc("Os valores finais, se outros", "The final amounts, where they differ", { value: 14000 }),
  fields,
});

/** Body of lose (spec 3). */
export const Lose = z.object(deal.rules("loss_reason_id", "loss_note")).meta({
  id: "Lose",
  ...doc("Por que se perdeu", "Why it was lost", { loss_note: "Escolheu outro fornecedor" }),
  fields,
});

/** Reply of an action (spec 3): the deal, and whether it already had the requested state. */
export const DealAction = deal.reply.extend({ idempotent: z.boolean() }).meta({
  id: "DealAction",
  ...doc("O negócio depois da ação", "The deal after the action"),
  fields,
});
