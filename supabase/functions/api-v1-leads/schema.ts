import { z } from "zod";
import { doc, type FieldDocs, named } from "../_shared/contract/doc.ts";
import { customFields, email, money, name, text, timestamp, Utm, uuid } from "../_shared/contract/fields.ts";
import { field, object, textsOf } from "../_shared/contract/object.ts";
import { DEAL_STATUSES } from "../_shared/contract/statuses.ts";

/** The fields of a lead that the deal stores. */
const Fields = object({
  first_name: field(name(120), ["Nome", "First name", "Ana"]),
  last_name: field(text(120).trim(), ["Sobrenome", "Last name", "Souza"]),
  email: email(),
  phone: text(40),
  company_name: field(name(255), [
    "Empresa, criada ou reutilizada pelo nome",
    "The company, created or reused by its name",
    "Padaria Sol",
  ]),
  external_id: field(text(255, 1), [
    "Identificador no sistema de origem; se for repetido, a resposta é a do lead já criado",
    "The id in the system that the lead comes from; a repeated id returns the lead created before",
    "form-2026-0042",
  ]),
  value: money(),
  recurring_value: money(),
  pipeline_id: uuid(),
  stage_id: uuid(),
  owner_id: field(uuid(), [
    "O membro responsável; se ausente, ou se não é um membro ativo do workspace, é escolhido pela API",
    "The member in charge; if absent, or not an active member of the workspace, the API chooses",
  ]),
  source: text(120),
  utm: Utm,
  custom_fields: customFields(),
});
const { first_name, ...optional } = Fields.shape;
const texts = textsOf(Fields);

type UtmKey = keyof typeof Utm.shape;
const UTM_KEYS = Object.keys(Utm.shape) as UtmKey[];
/** The fields of `utm` at the top level: `utm_source` and so on. */
const utmFields = Object.fromEntries(UTM_KEYS.map((key) => [`utm_${key}`, Utm.shape[key]])) as Record<
  `utm_${UtmKey}`,
  typeof Utm.shape.source
>;
const utmTexts: FieldDocs = Object.fromEntries(UTM_KEYS.map((key) => {
  const { description, description_en } = textsOf(Utm)[key]!;
  return [
    `utm_${key}`,
    doc(`${description}; o mesmo que em utm`, `${description_en}; the same as inside utm`),
  ];
}));

/** The body of POST leads (spec 2.3). A null field counts as absent. */
export const LeadRequest = z.object({ first_name, ...nullishOf(optional), ...utmFields }).meta({
  ...named(
    "LeadRequest",
    "Um lead: cria ou reutiliza empresa e contato, e cria um negócio",
    "A lead: creates or reuses company and contact, and creates a deal",
  ),
  fields: { ...texts, ...utmTexts },
}).transform((lead) => {
  // Moves `utm_*` fields into `utm`. The values in `utm` take precedence.
  const utm = UTM_KEYS.flatMap((key) => {
    const value = lead.utm?.[key] ?? lead[`utm_${key}`];
    return value == null ? [] : [[key, value] as const];
  });
  // Drops nulls, because the deal stores these arguments unchanged. Also drops an empty phone number.
  const others = Object.entries(lead).filter(([name, value]) =>
    value != null && !/^utm(_|$)/.test(name) && !(name === "phone" && String(value).trim() === "")
  );
  return { ...Object.fromEntries(others), ...(utm.length > 0 && { utm: Object.fromEntries(utm) }) };
});

/** A lead as the deal stores it: {@link LeadRequest} with `utm_*` moved into `utm`, without nulls. */
export const LeadSubmission = z.object({ first_name, ...z.object(optional).partial().shape }).meta({
  ...named(
    "LeadSubmission",
    "O que POST leads recebeu; campos que não foram enviados não aparecem",
    "What POST leads received; fields that were not sent are absent",
  ),
  fields: texts,
});

/** The reply to POST leads (spec 2.4). */
export const LeadResult = object({
  lead: field(
    object({
      deal_id: field(uuid(), ["O negócio", "The deal"]),
      contact_id: field(uuid(), ["O contato", "The contact"]),
      company_id: field(uuid().nullable(), [
        "A empresa; null sem company_name",
        "The company; null without company_name",
      ]),
      workspace_id: uuid(),
      status: field(z.enum(DEAL_STATUSES), ["Situação do negócio", "State of the deal"]),
      pipeline_id: field(uuid(), ["O pipeline do negócio", "The deal's pipeline"]),
      stage_id: field(uuid(), ["A etapa do negócio", "The deal's stage"]),
      owner_id: field(uuid(), ["O membro responsável", "The member in charge"]),
      created_at: timestamp(),
    }),
    ["Os registros do lead", "The lead's records"],
  ),
  idempotent: z.boolean(),
  created: field(
    object({
      company: field(z.boolean(), ["A empresa é nova", "The company is new", true]),
      contact: field(z.boolean(), ["O contato é novo", "The contact is new", true]),
      deal: field(z.boolean(), ["O negócio é novo", "The deal is new", true]),
    }),
    ["O que esta chamada criou de fato", "What this call actually created"],
  ),
  matched_by: field(z.enum(["email", "phone"]).nullable(), [
    "Por onde um contato existente foi encontrado: pelo e-mail, ou pelo telefone e primeiro nome; null se esta chamada " +
    "não reutilizou nenhum",
    "How an existing contact was found: by e-mail, or by phone and first name; null if this call reused none",
    "email",
  ]),
  differences: field(z.array(z.enum(["first_name", "last_name", "email", "phone", "company_name"])), [
    "Os campos enviados que diferem do contato reutilizado: o contato não muda, e o negócio guarda os valores enviados",
    "The sent fields that differ from the reused contact: the contact stays as it is, and the deal keeps the sent values",
    ["phone"],
  ]),
}).meta(named("LeadResult", "O que o lead se tornou", "The records that the lead created or reused"));

type NullishShape<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>>;
};

function nullishOf<Shape extends Record<string, z.ZodType>>(shape: Shape): NullishShape<Shape> {
  const entries = Object.entries(shape).map(([name, schema]) => [name, schema.nullish()]);
  return Object.fromEntries(entries) as NullishShape<Shape>;
}
