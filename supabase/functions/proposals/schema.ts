import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { text } from "../_shared/contract/fields.ts";
import { proposal } from "./record.ts";

/** Body of POST /reject; it may be absent. */
export const Rejection = z.object({ reason: text(1000).nullish() }).meta({
  id: "ProposalRejection",
  ...doc("Por que a proposta foi recusada", "Why the proposal is rejected"),
  fields: { reason: doc("Motivo da recusa", "Reason for the rejection", "Preço acima do orçamento") },
});

/** A proposal as its customer sees it. */
export const ProposalView = proposal.view("ProposalView");

/** The reply of POST /accept and /reject. */
export const ProposalAnswer = ProposalView.extend({ idempotent: z.boolean() }).meta({
  id: "ProposalAnswer",
  ...doc("A proposta respondida", "The proposal that was answered"),
  fields: proposal.texts(),
});
