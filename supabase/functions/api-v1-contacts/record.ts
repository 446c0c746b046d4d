import { doc } from "../_shared/contract/doc.ts";
import { MAX_URL_LENGTH, text } from "../_shared/contract/fields.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";

/** A person that a workspace sells to (spec 2.1). */
export const contact = record("contact", {
  table: "contacts",
  sql: ["insert", "save", "get", "list", "archive"],
  schema: "Contact",
  text: doc("Um contato", "A contact"),
  create: doc("Um contato a criar", "A contact to create"),
  update: doc("O que muda; null apaga", "What changes; null clears", { job_title: "Diretora", phone2: null }),
  erased: { name: "Contato apagado" },
  search: {
    text: doc(
      "Todas estas palavras, em qualquer ordem, sem distinguir acentos e maiúsculas, em nome, e-mail, cargo, external_id " +
        "e telefones (só os dígitos)",
      "All of these words, in any order, ignoring accents and case, in name, e-mail, job title, external_id and phone " +
        "numbers (only digits)",
    ),
    texts: ["name", "email", "job_title", "external_id"],
    phones: ["phone", "phone2", "whatsapp"],
  },
  alike: { email: "array[new.email]", phone_e164: "crm.phone_spellings(new.phone)" },
  upsert: {
    by: ["external_id", "email", "phone"],
    text: doc("Um contato a criar, ou o que muda nele", "A contact to create, or what changes in it"),
  },
}, {
  id: field.readOnlyId(),
  workspace_id: field.readOnlyId(),
  name: field.name({ text: doc("Nome", "Name", "Ana Souza") }),
  email: field.email({ filter: doc("Este e-mail, exato", "This e-mail address, exactly") }),
  phone: field.text(255, {
    filter: {
      rule: text(255).regex(/[0-9]/, "Deve ter ao menos um dígito"),
      text: doc(
        "Este telefone, com o DDD, em qualquer grafia; para uma parte do número, use q",
        "This phone number, with its area code, in any spelling; for a part of the number, use q",
      ),
      column: "phone_e164",
      through: "crm.e164",
    },
  }),
  phone2: field.text(255, { text: doc("Segundo telefone", "Second phone number") }),
  whatsapp: field.text(255, { text: doc("Número do WhatsApp", "WhatsApp number", "+55 11 91234-5678") }),
  job_title: field.text(255, { text: doc("Cargo", "Job title", "Compradora") }),
  company_id: field.reference("companies", {
    text: doc(
      "Empresa onde trabalha, do mesmo workspace",
      "The company that the contact works for, in the same workspace",
    ),
    filter: { sparse: true },
  }),
  owner_id: field.owner({ filter: false }),
  instagram: field.text(MAX_URL_LENGTH),
  linkedin: field.text(MAX_URL_LENGTH),
  notes: field.text(10_000),
  custom_fields: field.customFields(),
  tags: field.tags(),
  external_id: field.text(255, {
    text: doc(
      "Identificador no sistema de origem, único no workspace",
      "The id in the system that the contact comes from, unique in the workspace",
      "cliente-1042",
    ),
    filter: { text: doc("Este identificador", "This id"), unique: true },
  }, 1),
  archived_at: field.readOnlyDatetime(),
  merged_into_id: field.readOnlyId({
    text: doc("O contato a que este foi unido", "The contact that this one was merged into", null),
    presence: "optional",
  }),
  erased_at: field.readOnlyDatetime({
    text: doc("Quando os dados pessoais foram apagados", "When the personal data was erased", null),
  }),
  created_at: field.autoTimestamp(),
  updated_at: field.autoTimestamp(),
});
