import { z } from "zod";
import { doc, named } from "../_shared/contract/doc.ts";
import { countCharacters, MAX_URL_LENGTH, text } from "../_shared/contract/fields.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";

/**
 * CNPJ (alphanumeric since 2026) or another tax id. It is stored in upper case without punctuation, so that ids can be
 * compared for equality.
 */
const taxId = () =>
  text(40)
    .overwrite((id) => id.normalize("NFC").toUpperCase().replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, ""))
    .refine(
      (id) => 1 <= countCharacters(id) && countCharacters(id) <= 40,
      "Deve ter letras ou dígitos, até 40",
    );

/**
 * A domain. A web address is stored as its host, without `www.` and the final dot, so that equal domains are equal
 * texts.
 */
const domain = () =>
  z.string().toLowerCase().overwrite((text) =>
    text.trim().replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^@/?#]*@)?/, "").replace(/[/?#].*$/s, "").trim()
      .replace(/:\d+$/, "").replace(/^www\.(?=[^.]+\.)/, "").replace(/\.+$/, "") || text.trim()
  ).max(255);

const line = () => text(255).nullish();

/** A postal address. Unknown lines are absent or null. */
const Address = z.object({
  street: line(),
  number: line(),
  complement: line(),
  district: line(),
  city: line(),
  state: line(),
  postal_code: line(),
  country: line(),
}).meta({
  ...named("Address", "Um endereço", "An address"),
  fields: {
    street: doc("Logradouro", "Street", "Rua das Flores"),
    number: doc("Número", "Number", "100"),
    complement: doc("Complemento", "Complement"),
    district: doc("Bairro", "District", "Centro"),
    city: doc("Cidade", "City", "Campinas"),
    state: doc("Estado", "State", "SP"),
    postal_code: doc("CEP", "Postal code", "13010-000"),
    country: doc("País", "Country", "BR"),
  },
});

/** An organisation that a workspace sells to (spec 4.6). */
export const company = record("company", {
  table: "companies",
  sql: ["insert", "save", "get", "list", "archive"],
  schema: "Company",
  text: doc("Uma empresa", "A company"),
  create: doc("Uma empresa a criar", "A company to create"),
  update: doc("O que muda; null apaga", "What changes; null clears", { employee_count: 45, website: null }),
  search: {
    text: doc(
      "Todas estas palavras, em qualquer ordem, sem distinguir acentos e maiúsculas, em nome, razão social, CNPJ, " +
        "domínio, e-mail, external_id e telefone (só os dígitos)",
      "All of these words, in any order, ignoring accents and case, in name, legal name, tax id, domain, e-mail, " +
        "external_id and phone number (only digits)",
    ),
    texts: ["name", "legal_name", "tax_id", "domain", "email", "external_id"],
    phones: ["phone"],
    spelled: { tax_id: "crm.spelled_tax_id" },
  },
  alike: { tax_id: "array[new.tax_id]", domain: "array[nullif(new.domain, '')]" },
  upsert: {
    by: ["external_id", "tax_id", "domain"],
    foundBy: ["name"],
    text: doc("Uma empresa a criar, ou o que muda nela", "A company to create, or what changes in it"),
  },
}, {
  id: field.readOnlyId(),
  workspace_id: field.readOnlyId(),
  name: field.name({
    text: doc("Nome", "Name", "Padaria Sol"),
    filter: {
      text: doc("Este nome, sem distinguir maiúsculas", "This name, ignoring case"),
      column: "name_key",
      through: "crm.name_key",
    },
  }),
  legal_name: field.text(255, { text: doc("Razão social", "Legal name", "Padaria Sol Ltda.") }),
  tax_id: field.textWith(taxId(), {
    text: doc(
      "CNPJ ou outro registro, guardado em maiúsculas e sem pontuação",
      "CNPJ or another tax id, stored in upper case and without punctuation",
      "12ABC34501DE35",
    ),
    filter: {
      text: doc("Este CNPJ, com ou sem pontuação", "This tax id, with or without punctuation"),
      sparse: true,
    },
  }),
  domain: field.textWith(domain(), {
    text: doc(
      "Domínio, guardado em minúsculas, sem https://, www e caminho",
      "Domain, stored in lower case, without https://, www and path",
      "padariasol.com.br",
    ),
    filter: {
      text: doc("Este domínio, ou uma URL com ele", "This domain, or a URL with it"),
      sparse: true,
    },
  }),
  website: field.text(MAX_URL_LENGTH, { text: doc("Site", "Website", "https://padariasol.com.br") }),
  email: field.email({
    text: doc(
      "E-mail, guardado em minúsculas",
      "E-mail address, stored in lower case",
      "contato@padariasol.com.br",
    ),
  }),
  phone: field.text(255),
  industry: field.text(255, { text: doc("Setor", "Industry", "Alimentação") }),
  employee_count: field.count({ text: doc("Número de funcionários", "Number of employees", 40) }),
  linkedin: field.text(MAX_URL_LENGTH),
  instagram: field.text(MAX_URL_LENGTH),
  address: field.object(Address, { text: doc("Endereço", "Address") }),
  owner_id: field.owner(),
  notes: field.text(10_000),
  custom_fields: field.customFields(),
  tags: field.tags(),
  external_id: field.text(255, {
    text: doc(
      "Identificador no sistema de origem, único no workspace",
      "The id in the system that the company comes from, unique in the workspace",
      "erp-207",
    ),
    filter: { text: doc("Este identificador", "This id"), unique: true },
  }, 1),
  archived_at: field.readOnlyDatetime(),
  merged_into_id: field.readOnlyId({
    text: doc("A empresa a que esta foi unida", "The company that this one was merged into", null),
    presence: "optional",
  }),
  created_at: field.autoTimestamp(),
  updated_at: field.autoTimestamp(),
});
