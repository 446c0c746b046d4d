import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

const utm = (portuguese: string, english: string) =>
  doc(`${portuguese}; o mesmo que em utm`, `${english}; the same as inside utm`);

/** Describes the fields of a lead that the deal stores. */
export const submissionFields: FieldDocs = {
  first_name: doc("Nome", "First name", "Ana"),
  last_name: doc("Sobrenome", "Last name", "Souza"),
  company_name: doc(
    "Empresa, criada ou reutilizada pelo nome",
    "The company, created or reused by its name",
    "Padaria Sol",
  ),
  external_id: doc(
    "Identificador no sistema de origem; repetido, a resposta é a do lead já criado",
    "The id in the system that the lead comes from; a repeated id returns the lead created before",
    "form-2026-0042",
  ),
};

/** Describes the fields of a lead request. */
export const leadFields: FieldDocs = {
  ...submissionFields,
  utm_source: utm("Origem do tráfego", "Source of the traffic"),
  utm_medium: utm("Meio", "Medium"),
  utm_campaign: utm("Campanha", "Campaign"),
  utm_term: utm("Palavra-chave", "Keyword"),
  utm_content: utm("Variante do anúncio", "Variant of the advertisement"),
};

/** Describes the fields of a lead result. */
export const leadResultFields: FieldDocs = {
  lead: doc("Os registros do lead", "The lead's records"),
  deal_id: doc("O negócio", "The deal"),
  contact_id: doc("O contato", "The contact"),
  company_id: doc("A empresa; null sem company_name", "The company; null without company_name"),
  status: doc("Situação do negócio", "State of the deal"),
  pipeline_id: doc("O pipeline do negócio", "The deal's pipeline"),
  stage_id: doc("A etapa do negócio", "The deal's stage"),
  owner_id: doc("O membro responsável", "The member in charge"),
  created: doc("O que esta chamada criou de fato", "What this call actually created"),
  company: doc("A empresa é nova", "The company is new", true),
  contact: doc("O contato é novo", "The contact is new", true),
  deal: doc("O negócio é novo", "The deal is new", true),
  matched_by: doc(
    "Por onde um contato existente foi encontrado: pelo e-mail, ou pelo telefone e primeiro nome; null se esta chamada " +
      "não reutilizou nenhum",
    "How an existing contact was found: by e-mail, or by phone and first name; null if this call reused none",
    "email",
  ),
  differences: doc(
    "Os campos enviados cujo valor o contato reutilizado não tem: o contato fica como está, e o negócio guarda o enviado",
    "The sent fields whose values differ from the reused contact's: the contact stays as it is, and the deal keeps the " +
      "sent values",
    ["phone"],
  ),
};
