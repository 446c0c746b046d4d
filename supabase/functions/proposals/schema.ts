import { z } from "zod";
import { doc } from "../_shared/contract/doc.ts";
import { text } from "../_shared/contract/fields.ts";
import { proposal } from "./record.ts";

/** The body of POST /reject; it may be absent. */
export const Rejection = z.object({ reason: text(1000).nullish() }).meta({
  id: "ProposalRejection",
  ...doc("Por que a proposta foi recusada", "Why the proposal is rejected"),
  fields: { reason: doc("Motivo da recusa", "Reason for the rejection", "Preço acima do orçamento") },
});

const Seller = z.object({ name: z.string() }).meta({
  id: "ProposalSeller",
  ...doc("Quem faz a oferta", "Who makes the offer"),
  fields: { name: doc("Nome do workspace do vendedor", "Name of the seller's workspace", "Padaria Sol") },
});

const fields = { ...proposal.texts(), seller: doc("Quem faz a oferta", "Who makes the offer") };

/** A proposal as its customer sees it, with the workspace as the seller. */
export const ProposalView = proposal.view("ProposalView").extend({ seller: Seller }).meta({
  id: "ProposalView",
  ...proposal.about.views!["ProposalView"]!.text,
  fields,
});

export const ProposalAnswer = ProposalView.extend({ idempotent: z.boolean() }).meta({
  id: "ProposalAnswer",
  ...doc("A proposta respondida", "The proposal that was answered"),
  fields,
});
