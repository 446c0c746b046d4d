import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

/** Texts of a note's fields. */
export const noteFields: FieldDocs = {
  deal_id: doc("Negócio a que a nota pertence", "The deal that the note belongs to"),
  author_id: doc("Membro que criou a chave de API usada", "The member who created the API key that was used"),
  body: doc(
    "Texto livre",
    "Free text",
    "Reunião: apresentação, 30 de setembro, 40 min\nDecisor presente: sim",
  ),
  kind: doc(
    "note: algo que aconteceu; observation: contexto livre; note se ausente",
    "note: something that happened; observation: free context; note where absent",
    "note",
  ),
  source: doc(
    "Por onde entrou; por esta API, sempre integration",
    "Where it came in; through this API, always integration",
    "integration",
  ),
};
