import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { customFields, email, money, name, text, timestamp, Utm, uuid } from "../_shared/contract/fields.ts";
import { leadFields, leadResultFields, submissionFields } from "./docs.ts";

const UTM_KEYS = ["source", "medium", "campaign", "term", "content"] as const;

const utmText = () => Utm.shape.source;

const required = { first_name: name(120) };

const optional = {
  last_name: text(120).trim(),
  email: email(),
  phone: text(40),
  company_name: name(255),
  external_id: text(255, 1),
  value: money(),
  recurring_value: money(),
  pipeline_id: uuid(),
  stage_id: uuid(),
  owner_id: uuid(),
  source: text(120),
  utm: Utm,
  custom_fields: customFields(),
};

/** The body of POST leads (spec 2.3). A null field counts as absent. */
export const LeadRequest = z.object({
  ...required,
  ...nullishOf(optional),
  utm_source: utmText(),
  utm_medium: utmText(),
  utm_campaign: utmText(),
  utm_term: utmText(),
  utm_content: utmText(),
}).meta({
  id: "LeadRequest",
  ...doc(
    "Um lead: cria ou reutiliza empresa e contato, e cria um negócio",
    "A lead: creates or reuses company and contact, and creates a deal",
  ),
  fields: leadFields,
}).transform(({ utm_source, utm_medium, utm_campaign, utm_term, utm_content, ...lead }) => {
  // Moves `utm_*` fields into `utm`, whose own values take precedence.
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
  // Without nulls, because the deal stores these arguments unchanged.
  return withoutNulls({ ...lead, utm: utm.length > 0 ? Object.fromEntries(utm) : null });
});

/** A lead as the deal stores it: {@link LeadRequest} with `utm_*` moved into `utm`, without nulls. */
export const LeadSubmission = z.object({ ...required, ...z.object(optional).partial().shape }).meta({
  id: "LeadSubmission",
  ...doc(
    "O que POST leads recebeu; campos que não foram enviados não aparecem",
    "What POST leads received; fields that were not sent are absent",
  ),
  fields: submissionFields,
});

/** The reply to POST leads (spec 2.4). */
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
  matched_by: z.enum(["email", "phone"]).nullable(),
  differences: z.array(z.enum(["first_name", "last_name", "email", "phone", "company_name"])),
}).meta({
  id: "LeadResult",
  ...doc("O que o lead se tornou", "The records that the lead created or reused"),
  fields: leadResultFields,
});

type NullishShape<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>>;
};

function nullishOf<Shape extends Record<string, z.ZodType>>(shape: Shape): NullishShape<Shape> {
  const entries = Object.entries(shape).map(([name, schema]) => [name, schema.nullish()]);
  return Object.fromEntries(entries) as NullishShape<Shape>;
}

function withoutNulls(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
