import { doc } from "../_shared/contract/doc.ts";
import { record } from "../_shared/contract/record.ts";
import * as field from "../_shared/contract/record_fields.ts";
import { PROPOSAL_STATUSES } from "../_shared/contract/statuses.ts";

/**
 * An offer to a customer (spec 6.1), with the fields that events show. The customer sees only the fields of
 * ProposalView.
 */
export const proposal = record("proposal", {
  table: "proposals",
  schema: "Proposal",
  text: doc("Uma proposta", "A proposal"),
  views: {
    ProposalView: {
      name: "proposal_view",
      text: doc("Uma proposta, como o cliente a vê", "A proposal as its customer sees it"),
      fields: [
        "id",
        "title",
        "value",
        "recurring_value",
        "status",
        "sent_at",
        "expires_at",
        "accepted_at",
        "rejected_at",
        "rejection_reason",
      ],
    },
  },
}, {
  id: field.readOnlyId(),
  workspace_id: field.readOnlyId(),
  deal_id: field.readOnlyId({ text: doc("Negócio da proposta", "The proposal's deal") }),
  title: field.readOnlyText({ text: doc("Título", "Title", "Plano anual"), presence: "required" }),
  value: field.money({ written: "by the database" }),
  recurring_value: field.money({ written: "by the database" }),
  status: field.choice(PROPOSAL_STATUSES, {
    text: doc("Situação", "Status", "enviada"),
    presence: "required",
    written: "by an action",
    // `expirada` is not stored, because it depends on the current time.
    shownAs: "crm.proposal_status(t)",
  }),
  sent_at: field.readOnlyDatetime({ text: doc("Quando foi enviada", "When it was sent") }),
  viewed_at: field.readOnlyDatetime({
    text: doc("Quando o cliente a abriu pela primeira vez", "When the customer first opened it"),
  }),
  accepted_at: field.readOnlyDatetime({ text: doc("Quando foi aceita", "When it was accepted") }),
  rejected_at: field.readOnlyDatetime({ text: doc("Quando foi recusada", "When it was rejected") }),
  rejection_reason: field.text(1000, {
    text: doc("Motivo dado pelo cliente", "The reason that the customer gave"),
    written: "by an action",
  }),
  expires_at: field.readOnlyDatetime({
    text: doc("Até quando pode ser respondida", "Until when it can be answered"),
  }),
  created_at: field.autoTimestamp(),
  updated_at: field.autoTimestamp(),
});
