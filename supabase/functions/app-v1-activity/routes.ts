import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { ActivityPage, ActivityQuery, EventFilter, EventsPage } from "./schema.ts";

export const activity = resource(
  "app-v1-activity",
  {
    "GET /": endpoint({
      summary: doc("Lista quem fez o quê", "List who did what"),
      role: "vendedor",
      query: ActivityQuery,
      reply: ActivityPage,
      verb: "action_list",
    }),
    "GET /events": endpoint({
      summary: doc(
        "Lista os eventos, com os webhooks que recebem cada um",
        "List the events, with the webhooks that get each",
      ),
      role: "vendedor",
      query: EventFilter,
      reply: EventsPage,
      verb: "event_list",
    }),
  },
  doc("Quem fez o quê na empresa", "Who did what in the workspace"),
);
