import { doc } from "../_shared/contract/doc.ts";
import type { PathParams } from "../_shared/contract/declaration.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import type { Json } from "../_shared/contract/json.ts";
import { generateProposalLink } from "../_shared/keys/proposal_link.ts";
import { appUrl } from "../_shared/runtime/service.ts";
import { OpenedDeal } from "./deal.ts";
import { DealProposal, LinkedProposal, NewProposal } from "./proposal.ts";
import { Funnel, FunnelQuery } from "./schema.ts";

/** Adds the hash of a new link to the verb's arguments, and the link to the reply. */
async function withNewLink(body: object, _: PathParams, findWorkspace: () => Promise<string>) {
  const { link, stored } = generateProposalLink(await findWorkspace(), appUrl());
  return { args: { ...body as Record<string, Json>, ...stored }, reveal: { link } };
}

export const funnel = resource(
  "app-v1-funnel",
  {
    "GET /": endpoint({
      summary: doc("Mostra o funil de um pipeline", "Show the funnel of a pipeline"),
      role: "vendedor",
      query: FunnelQuery,
      reply: Funnel,
      verb: "funnel_get",
      errors: ["not_found"],
    }),
    "GET /deals/:id": endpoint({
      summary: doc("Mostra um negócio", "Show a deal"),
      role: "vendedor",
      reply: OpenedDeal,
      verb: "funnel_deal",
    }),
    "POST /deals/:id/proposals": endpoint({
      summary: doc("Cria uma proposta com o seu link", "Create a proposal with its link"),
      role: "vendedor",
      body: NewProposal,
      reply: LinkedProposal,
      status: 201,
      verb: "deal_proposal_create",
      errors: ["already_expired"],
      prepare: withNewLink,
    }),
    "POST /proposals/:id/link": endpoint({
      ...noBody,
      summary: doc(
        "Dá à proposta um novo link; o anterior deixa de funcionar",
        "Give a proposal a new link; the earlier one stops working",
      ),
      role: "vendedor",
      reply: LinkedProposal,
      verb: "proposal_link",
      errors: ["proposal_closed", "proposal_expired"],
      prepare: withNewLink,
    }),
    "POST /proposals/:id/send": endpoint({
      ...noBody,
      summary: doc(
        "Marca a proposta como enviada, e o seu link passa a abri-la",
        "Mark a proposal as sent, so that its link opens it",
      ),
      role: "vendedor",
      reply: DealProposal,
      verb: "proposal_send",
      errors: ["proposal_closed", "proposal_expired"],
    }),
  },
  doc("O funil de vendas", "The sales funnel"),
);
