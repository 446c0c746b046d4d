import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { customFields, email, money, name, text, timestamp, Utm, uuid } from "../_shared/contract/fields.ts";
import { leadFields, leadResultFields } from "./docs.ts";

const UTM_KEYS = ["source", "medium", "campaign", "term", "content"] as const;

const utmText = () => Utm.shape.source;

/** Body of POST leads (spec 2.3). A null field is treated as absent. */
export const LeadRequest = z.object({
  first_name: name(120),
  last_name: text(120).trim().nullish(),
  email: email().nullish(),
  phone: text(40).nullish(),
  company_name: name(255).nullish(),
  external_id: text(255, 1).nullish(),
  value: money().nullish(),
  recurring_value: money().nullish(),
  pipeline_id: uuid().nullish(),
  stage_id: uuid().nullish(),
  owner_id: uuid().nullish(),
  source: text(120).nullish(),
  utm: Utm.nullish(),
  utm_source: utmText(),
  utm_medium: utmText(),
  utm_campaign: utmText(),
  utm_term: utmText(),
  utm_content: utmText(),
  custom_fields: customFields().nullish(),
}).meta({
  id: "LeadRequest",
  ...doc(
    "Um lead: cria ou reutiliza empresa e contato, e cria um negócio",
    "A lead: creates or reuses company and contact, and creates a deal",
  ),
  fields: leadFields,
}).transform(({ utm_source, utm_medium, utm_campaign, utm_term, utm_content, ...lead }) => {
  // Moves `utm_*` fields into `utm`. A value inside `utm` takes precedence, because it is more explicit.
  const root = {
    source: utm_source,
    medium: utm_medium,
    campaign: utm_campaign,
    term: utm_term,
    content: utm_content,
  };
  const utm = UTM_KEYS.flatMap((key) => {
    const value = lead.utm?.[key] ?? root[key];
    return value == null ? [] : [[key, value] as const];
  });
  return { ...lead, utm: utm.length > 0 ? Object.fromEntries(utm) : null };
});

/** Reply of POST leads (spec 2.4). */
export const LeadResult = z.object({
  lead: z.object({
    deal_id: uuid(),
    contact_id: uuid(),
    company_id: uuid().nullable(),
    workspace_id: uuid(),
    status: z.enum(["aberto", "ganho", "perdido"]),
    pipeline_id: uuid(),
    stage_id: uuid(),
    owner_id: uuid(),
    created_at: timestamp(),
  }),
  idempotent: z.boolean(),
  created: z.object({ company: z.boolean(), contact: z.boolean(), deal: z.boolean() }),
}).meta({
  id: "LeadResult",
  ...doc("O que o lead se tornou", "The records that the lead created or reused"),
  fields: leadResultFields,
});
