import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { text } from "../_shared/contract/fields.ts";
import { proposal } from "./record.ts";
import { extended, field, object } from "../_shared/contract/object.ts";

/** The body of POST /reject; it may be absent. */
export const Rejection = object({
  reason: field(text(1000).nullish(), [
    "Motivo da recusa",
    "Reason for the rejection",
    "Preço acima do orçamento",
  ]),
}).meta(named("ProposalRejection", "Por que a proposta foi recusada", "Why the proposal is rejected"));

const Seller = object({
  name: field(z.string(), ["Nome do workspace do vendedor", "Name of the seller's workspace", "Padaria Sol"]),
}).meta(named("ProposalSeller", "Quem faz a oferta", "Who makes the offer"));

/** A proposal as its customer sees it, with the workspace as the seller. */
export const ProposalView = extended(proposal.view("ProposalView"), {
  seller: field(Seller, ["Quem faz a oferta", "Who makes the offer"]),
}).meta({ id: "ProposalView", ...proposal.about.views!["ProposalView"]!.text });

export const ProposalAnswer = extended(ProposalView, { idempotent: z.boolean() })
  .meta(named("ProposalAnswer", "A proposta respondida", "The proposal that was answered"));
