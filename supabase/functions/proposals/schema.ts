import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { text, timestamp, uuid } from "../_shared/contract/fields.ts";
import { proposalFields } from "./docs.ts";

const status = () => z.enum(["rascunho", "enviada", "visualizada", "aceita", "recusada", "expirada"]);

/** Body of POST /reject; it may be absent. */
export const Rejection = z.object({ reason: text(1000).nullish() }).meta({
  id: "ProposalRejection",
  ...doc("Por que a proposta foi recusada", "Why the proposal is rejected"),
  fields: proposalFields,
});

/** A proposal as its customer sees it. */
export const ProposalView = z.object({
  id: uuid(),
  title: z.string(),
  value: z.number().nullable(),
  recurring_value: z.number().nullable(),
  status: status(),
  sent_at: timestamp().nullable(),
  expires_at: timestamp().nullable(),
  accepted_at: timestamp().nullable(),
  rejected_at: timestamp().nullable(),
  rejection_reason: z.string().nullable(),
}).meta({
  id: "ProposalView",
  ...doc("Uma proposta, como o cliente a vê", "A proposal as its customer sees it"),
  fields: proposalFields,
});

/** The reply of POST /accept and /reject. */
export const ProposalAnswer = ProposalView.extend({ idempotent: z.boolean() }).meta({
  id: "ProposalAnswer",
  ...doc("A proposta respondida", "The proposal that was answered"),
  fields: proposalFields,
});

/** A proposal as its events tell of it (spec 6.2). */
export const Proposal = ProposalView.extend({
  workspace_id: uuid(),
  deal_id: uuid(),
  viewed_at: timestamp().nullable(),
  created_at: timestamp(),
  updated_at: timestamp(),
}).meta({ id: "Proposal", ...doc("Uma proposta", "A proposal"), fields: proposalFields });
