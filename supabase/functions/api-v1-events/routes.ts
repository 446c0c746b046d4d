import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { EventPage, EventQuery } from "./schema.ts";

export const events = resource(
  "api-v1-events",
  {
    "GET /": endpoint({
      summary: doc("Lista o que aconteceu, do mais antigo ao mais novo", "List what happened, oldest first"),
      scope: "events:read",
      query: EventQuery,
      reply: EventPage,
      verb: "event_list",
      errors: ["cursor_expired"],
    }),
  },
  doc(
    "O que aconteceu nos últimos 30 dias, em ordem, para ler e retomar de onde parou",
    "What happened in the last 30 days, in order, to read and to resume where you stopped",
  ),
);
