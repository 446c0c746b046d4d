import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { customFields, date, money, name, text, timestamp, Utm, uuid } from "../_shared/contract/fields.ts";
import { listQuery } from "../_shared/contract/pagination.ts";
import { Activity } from "../api-v1-activities/schema.ts";
import { Company } from "../api-v1-companies/schema.ts";
import { Contact } from "../api-v1-contacts/schema.ts";
import { dealFields } from "./docs.ts";

const Status = z.enum(["aberto", "ganho", "perdido"]);

const externalId = () => text(255, 1);

/** What a client may write of a deal at any time. */
const fields = {
  value: money().nullish(),
  recurring_value: money().nullish(),
  contact_id: uuid().nullish(),
  company_id: uuid().nullish(),
  owner_id: uuid().nullish(),
  expected_close_date: date().nullish(),
  source: text(120).nullish(),
  utm: Utm.nullish(),
  custom_fields: customFields().nullish(),
};

/** Body of POST: every field is optional, but something must say what the deal is (spec 4.6). */
export const NewDeal = z.object({
  title: name().nullish(),
  pipeline_id: uuid().nullish(),
  stage_id: uuid().nullish(),
  ...fields,
  external_id: externalId().nullish(),
}).refine(
  ({ title, contact_id, company_id }) => (title ?? contact_id ?? company_id) != null,
  {
    path: ["title"],
    error: "Informe ao menos um de title, contact_id e company_id",
    // Also beside other fields at fault: all of them are reported at once.
    when: () => true,
  },
).meta({
  id: "NewDeal",
  ...doc(
    "Um negócio a criar; ao menos um de title, contact_id e company_id",
    "A deal to create; at least one of title, contact_id and company_id",
  ),
  fields: dealFields,
});

/** Body of PATCH: what is absent stays, what is null is cleared; status `aberto` reopens (spec 4.6). */
export const DealPatch = z.object({
  title: name().optional(),
  status: Status.optional(),
  pipeline_id: uuid().optional(),
  stage_id: uuid().optional(),
  ...fields,
}).meta({
  id: "DealPatch",
  ...doc("O que muda; null apaga; status aberto reabre", "What changes; null clears; status aberto reopens", {
    value: 14000,
    expected_close_date: "2026-12-20",
  }),
  fields: dealFields,
});

/** Body of move-stage (spec 3). */
export const MoveStage = z.object({ stage_id: uuid(), pipeline_id: uuid().nullish() }).meta({
  id: "MoveStage",
  ...doc("Para onde o negócio vai", "Where the deal goes"),
  fields: {
    stage_id: doc("A nova etapa", "The new stage"),
    pipeline_id: doc(
      "O pipeline da etapa; o do negócio se ausente",
      "The stage's pipeline; the deal's where absent",
    ),
  },
});

/** Body of win (spec 3): the final amounts, where they are not those of the deal. */
export const Win = z.object({ value: fields.value, recurring_value: fields.recurring_value }).meta({
  id: "Win",
  ...doc("Os valores finais, se outros", "The final amounts, where they are others", { value: 14000 }),
  fields: dealFields,
});

/** Body of lose (spec 3). */
export const Lose = z.object({ loss_reason_id: uuid().nullish(), loss_note: text(1000).nullish() }).meta({
  id: "Lose",
  ...doc("Por que se perdeu", "Why it was lost", { loss_note: "Escolheu outro fornecedor" }),
  fields: dealFields,
});

/** A deal as every reply and event gives it. */
export const Deal = z.object({
  id: uuid(),
  workspace_id: uuid(),
  title: z.string(),
  status: Status,
  value: z.number().nullable(),
  recurring_value: z.number().nullable(),
  pipeline_id: uuid(),
  stage_id: uuid(),
  contact_id: uuid().nullable(),
  company_id: uuid().nullable(),
  owner_id: uuid(),
  expected_close_date: z.iso.date().nullable(),
  loss_reason_id: uuid().nullable(),
  loss_note: z.string().nullable(),
  source: z.string().nullable(),
  utm: Utm.nullable(),
  custom_fields: z.record(z.string(), z.unknown()).nullable(),
  external_id: z.string().nullable(),
  stage_changed_at: timestamp(),
  last_activity_at: timestamp().nullable(),
  won_at: timestamp().nullable(),
  lost_at: timestamp().nullable(),
  closed_at: timestamp().nullable(),
  created_at: timestamp(),
  updated_at: timestamp(),
}).meta({
  id: "Deal",
  ...doc("Um negócio", "A deal"),
  fields: dealFields,
});

/** A deal with what belongs to it (spec 4.6); the last activity is the one created last. */
export const DealDetail = Deal.extend({
  contact: Contact.nullable(),
  company: Company.nullable(),
  last_activity: Activity.nullable(),
}).meta({
  id: "DealDetail",
  ...doc(
    "Um negócio com contato, empresa e última atividade",
    "A deal with contact, company and last activity",
  ),
  fields: dealFields,
});

/** Reply of an action (spec 3): the deal, and whether it was already as asked. */
export const DealAction = Deal.extend({ idempotent: z.boolean() }).meta({
  id: "DealAction",
  ...doc("O negócio depois da ação", "The deal after the action"),
  fields: dealFields,
});

/** Query of the list. */
export const DealFilter = listQuery({
  status: Status.optional(),
  pipeline_id: uuid().optional(),
  stage_id: uuid().optional(),
  owner_id: uuid().optional(),
  contact_id: uuid().optional(),
  company_id: uuid().optional(),
  external_id: externalId().optional(),
});
