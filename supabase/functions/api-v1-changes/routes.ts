import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { pageOf } from "../_shared/contract/pagination.ts";
import { Change, ChangeQuery } from "./schema.ts";

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
  },
  doc(
    "Quem alterou o quê nos últimos 90 dias: nomes de campos, nunca valores",
    "Who changed what in the last 90 days: names of fields, never values",
  ),
);
