import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

/** Texts of a contact's fields. */
export const contactFields: FieldDocs = {
  name: doc("Nome", "Name", "Ana Souza"),
  phone2: doc("Segundo telefone", "Second phone number"),
  whatsapp: doc("Número do WhatsApp", "WhatsApp number", "+55 11 91234-5678"),
  job_title: doc("Cargo", "Job title", "Compradora"),
  company_id: doc(
    "Empresa onde trabalha, do mesmo workspace",
    "The company it works for, of the same workspace",
  ),
};
