import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

/** Texts of a deal's fields. */
export const dealFields: FieldDocs = {
  title: doc(
    "Título; o nome do contato, ou da empresa, se ausente",
    "Title; the contact's name, or the company's, where absent",
    "Padaria Sol: plano anual",
  ),
  status: doc("Situação", "State", "aberto"),
  expected_close_date: doc("Fechamento previsto", "Expected close date", "2026-12-15"),
  loss_reason_id: doc("Motivo da perda", "Reason for the loss", null),
  loss_note: doc("Comentário da perda", "Note on the loss"),
  external_id: doc(
    "Identificador no sistema de origem",
    "The id in the system it comes from",
    "pedido-2026-0042",
  ),
  stage_changed_at: doc("Quando mudou de etapa pela última vez", "When it last changed stage"),
  last_activity_at: doc("A última atividade", "The last activity"),
  won_at: doc("Quando foi ganho", "When it was won"),
  lost_at: doc("Quando foi perdido", "When it was lost"),
  closed_at: doc("Quando foi ganho ou perdido", "When it was won or lost"),
};
