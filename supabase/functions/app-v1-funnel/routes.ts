import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { OpenedDeal } from "./deal.ts";
import { Funnel, FunnelQuery } from "./schema.ts";

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
  },
  doc("O funil de vendas", "The sales funnel"),
);
