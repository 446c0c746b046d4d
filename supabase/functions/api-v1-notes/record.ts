import { doc } from "../_shared/contract/doc.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";

/** A note of a deal (spec 2.2). It cannot be changed through the API. */
export const note = record("note", {
  table: "notes",
  sql: ["insert", "get", "list"],
  schema: "Note",
  text: doc("Uma anotação de um negócio", "A note of a deal"),
  create: doc("Uma anotação a criar", "A note to create"),
  filters: {
    company_id: field.dealFilter(
      "company_id",
      doc(
        "Só de negócios desta empresa; dispensa deal_id",
        "Only notes of deals with this company; deal_id is then optional",
      ),
    ),
    contact_id: field.dealFilter(
      "contact_id",
      doc(
        "Só de negócios deste contato; dispensa deal_id",
        "Only notes of deals with this contact; deal_id is then optional",
      ),
    ),
  },
}, {
  id: field.readOnlyId(),
  deal_id: field.reference("deals", {
    text: doc(
      "Negócio a que a anotação pertence (GET /api-v1-deals)",
      "The deal that the note belongs to (GET /api-v1-deals)",
    ),
    presence: "required",
    written: "on create",
    // Notes are listed for one deal (spec 4.3), or for the deals with a company or a contact.
    filter: {
      required: true,
      text: doc(
        "Só deste negócio; obrigatório sem company_id e contact_id",
        "Only of this deal; required without company_id and contact_id",
      ),
    },
  }),
  author_id: field.memberId({
    text: doc("Membro que criou a chave de API usada", "The member who created the API key that was used"),
  }),
  body: field.text(10_000, {
    text: doc(
      "Texto livre",
      "Free text",
      "Reunião: apresentação, 30 de setembro, 40 min\nDecisor presente: sim",
    ),
    presence: "required",
    written: "on create",
  }, 1),
  kind: field.choice(["note", "observation"], {
    text: doc(
      "note: algo que aconteceu; observation: contexto livre; note se ausente",
      "note: something that happened; observation: free context; note if absent",
      "note",
    ),
    presence: "defaulted",
    written: "on create",
    filter: doc(
      "Só anotações deste tipo, ou de qualquer um de vários, separados por vírgulas",
      "Only notes of this kind, or of any of several kinds, separated by commas",
    ),
  }),
  source: field.choice(["user", "automation", "agent", "integration"], {
    text: doc(
      "Como a anotação foi criada; por esta API, sempre integration",
      "How the note was created; through this API, always integration",
      "integration",
    ),
    presence: "required",
    written: "by the verb",
  }),
  created_at: field.autoTimestamp(),
  updated_at: field.autoTimestamp(),
});
