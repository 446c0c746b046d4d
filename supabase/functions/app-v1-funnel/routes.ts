import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
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
  },
  doc("O funil de vendas", "The sales funnel"),
);
