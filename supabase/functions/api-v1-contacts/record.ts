import { doc } from "../_shared/contract/doc.ts";
import { MAX_URL_LENGTH } from "../_shared/contract/fields.ts";
import { record } from "../_shared/contract/record.ts";
import {
  autoTimestamp,
  customFields,
  email,
  id,
  name,
  owner,
  reference,
  text,
  workspaceId,
} from "../_shared/contract/record_fields.ts";

/** A person that a workspace sells to (spec 2.1). */
export const contact = record("contact", {
  table: "contacts",
  sql: ["insert", "save", "get", "list"],
  schema: "Contact",
  text: doc("Um contato", "A contact"),
  create: doc("Um contato a criar", "A contact to create"),
  update: doc("O que muda; null apaga", "What changes; null clears", { job_title: "Diretora", phone2: null }),
}, {
  id: id(),
  workspace_id: workspaceId(),
  name: name({ text: doc("Nome", "Name", "Ana Souza") }),
  email: email({ filter: doc("Este e-mail, exato", "This e-mail address, exactly") }),
  phone: text(255),
  phone2: text(255, { text: doc("Segundo telefone", "Second phone number") }),
  whatsapp: text(255, { text: doc("Número do WhatsApp", "WhatsApp number", "+55 11 91234-5678") }),
  job_title: text(255, { text: doc("Cargo", "Job title", "Compradora") }),
  company_id: reference("companies", {
    text: doc(
      "Empresa onde trabalha, do mesmo workspace",
      "The company that the contact works for, of the same workspace",
    ),
    filter: true,
  }),
  owner_id: owner({ filter: false }),
  instagram: text(MAX_URL_LENGTH),
  linkedin: text(MAX_URL_LENGTH),
  notes: text(10_000),
  custom_fields: customFields(),
  created_at: autoTimestamp(),
  updated_at: autoTimestamp(),
});
