import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

/** Texts of a proposal's fields. */
export const proposalFields: FieldDocs = {
  deal_id: doc("Negócio da proposta", "The proposal's deal"),
  title: doc("Título", "Title", "Plano anual"),
  status: doc("Situação", "State", "enviada"),
  sent_at: doc("Quando foi enviada", "When it was sent"),
  viewed_at: doc("Quando o cliente a abriu pela primeira vez", "When the customer first opened it"),
  accepted_at: doc("Quando foi aceita", "When it was accepted"),
  rejected_at: doc("Quando foi recusada", "When it was rejected"),
  rejection_reason: doc("Motivo dado pelo cliente", "The reason that the customer gave"),
  expires_at: doc("Até quando pode ser respondida", "Until when it can be answered"),
  reason: doc("Motivo da recusa", "Reason for the rejection", "Preço acima do orçamento"),
};
