import { doc, type FieldDocs } from "../_shared/contract/doc.ts";

/** Texts of a subscription's fields. */
export const subscriptionFields: FieldDocs = {
  event_types: doc("Os eventos assinados", "The events subscribed to", ["lead.received", "deal.won"]),
  target_url: doc(
    "Endereço que recebe as entregas: https e público",
    "The address that deliveries go to: https and public",
    "https://example.com/hooks/crm",
  ),
  secret: doc(
    "Segredo das assinaturas; mostrado só nesta resposta",
    "The secret of the signatures; shown in this reply only",
    "whsec_exemplo",
  ),
  is_active: doc(
    "Se recebe entregas; deixa de receber na 5ª falha de uma entrega, ou quando removida",
    "Whether it gets deliveries; no more after the 5th failure of a delivery, or once deleted",
    true,
  ),
  failure_count: doc(
    "Tentativas que falharam desde o último sucesso",
    "Failed attempts since the last success",
    0,
  ),
  last_success_at: doc("A última tentativa que deu certo", "The last attempt that succeeded"),
  last_failure_at: doc("A última tentativa que falhou", "The last attempt that failed"),
};
