import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { pageOf } from "../_shared/contract/pagination.ts";
import { Change, ChangeQuery, ChangeSummary, ChangeSummaryQuery } from "./schema.ts";

export const changes = resource(
  "api-v1-changes",
  {
    "GET /": endpoint({
      summary: doc("Lista quem alterou o quê e quando", "List who changed what, and when"),
      scope: "changes:read",
      query: ChangeQuery,
      reply: pageOf(Change),
      verb: "change_list",
    }),
    "GET /summary": endpoint({
      summary: doc(
        "Conta o que houve em um período, e nomeia os negócios novos, movidos e fechados",
        "Count what happened in a period, and name the deals that are new, moved or closed",
      ),
      scope: "changes:read",
      query: ChangeSummaryQuery,
      reply: ChangeSummary,
      verb: "change_summary",
      errors: ["too_many_records"],
    }),
  },
  doc(
    "Quem alterou o quê nos últimos 90 dias: nomes de campos, nunca valores",
    "Who changed what in the last 90 days: names of fields, never values",
  ),
);
