import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { ProposalAnswer, ProposalView, Rejection } from "./schema.ts";

export const proposals = resource(
  "proposals",
  {
    "GET /:token": endpoint({
      summary: doc("Mostra a proposta ao cliente", "Show the proposal to its customer"),
      gate: "link",
      // The first GET marks the proposal as viewed, which a link checker's HEAD request must not do.
      head: false,
      reply: ProposalView,
      verb: "proposal_view",
      errors: ["proposal_expired"],
    }),
    "POST /:token/accept": endpoint({
      summary: doc("Aceita a proposta, em definitivo", "Accept the proposal; the answer is final"),
      gate: "link",
      reply: ProposalAnswer,
      verb: "proposal_accept",
      errors: ["proposal_closed", "proposal_expired"],
    }),
    "POST /:token/reject": endpoint({
      summary: doc("Recusa a proposta, em definitivo", "Reject the proposal; the answer is final"),
      gate: "link",
      body: Rejection,
      bodyOptional: true,
      reply: ProposalAnswer,
      verb: "proposal_reject",
      errors: ["proposal_closed", "proposal_expired"],
    }),
  },
  doc(
    "O link público de uma proposta, sem chave de API",
    "The public link of a proposal, without an API key",
  ),
);
