import { z } from "zod";
import { named } from "../_shared/contract/doc.ts";
import { datetime, money, name, timestamp, uuid } from "../_shared/contract/fields.ts";
import { extended, field, object } from "../_shared/contract/object.ts";
import { PROPOSAL_STATUSES } from "../_shared/contract/statuses.ts";

const TITLE = ["Título", "Title", "Plano anual"] as const;
const VALUE = ["Valor", "Value", 1500] as const;
const MONTHLY = ["Valor mensal", "Monthly value", 300] as const;

/** A proposal as the members of its workspace see it. */
export const DealProposal = object({
  id: field(uuid(), ["A proposta", "The proposal"]),
  title: field(z.string(), TITLE),
  value: field(money().nullable(), VALUE),
  recurring_value: field(money().nullable(), MONTHLY),
  status: field(z.enum(PROPOSAL_STATUSES), [
    "Situação",
    "Status",
    "enviada",
  ]),
  sent_at: field(timestamp().nullable(), ["Quando foi enviada", "When it was sent"]),
  expires_at: field(timestamp().nullable(), [
    "Até quando pode ser respondida",
    "Until when it can be answered",
  ]),
  accepted_at: field(timestamp().nullable(), ["Quando foi aceita", "When it was accepted"]),
  rejected_at: field(timestamp().nullable(), ["Quando foi recusada", "When it was declined"]),
  rejection_reason: field(z.string().nullable(), [
    "Motivo dado pelo cliente",
    "The reason that the customer gave",
  ]),
  viewed_at: field(timestamp().nullable(), [
    "Quando o cliente a abriu pela primeira vez",
    "When the customer first opened it",
  ]),
  created_at: timestamp(),
}).meta(
  named("DealProposal", "Uma proposta do negócio, sem o link", "A proposal of the deal, without its link"),
);

export const NewProposal = object({
  title: field(name(), TITLE),
  value: field(money().nullish(), VALUE),
  recurring_value: field(money().nullish(), MONTHLY),
  expires_at: field(datetime().nullish(), [
    "Até quando pode ser respondida; se ausente, sempre",
    "Until when it can be answered; if absent, forever",
  ]),
}).meta(named("NewProposal", "Uma nova proposta", "A new proposal"));

export const LinkedProposal = extended(DealProposal, {
  link: field(z.string(), [
    "O link para o cliente, que só esta resposta mostra; abre a proposta depois que ela foi enviada",
    "The link for the customer, which only this reply shows; it opens the proposal once it was sent",
    "https://crm.exemplo.com.br/proposta/#exemplo",
  ]),
}).meta(named("LinkedProposal", "Uma proposta com o seu novo link", "A proposal with its new link"));
