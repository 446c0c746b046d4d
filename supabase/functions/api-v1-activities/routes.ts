import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { pageOf } from "../_shared/contract/pagination.ts";
import { Activity, ActivityFilter, ActivityPatch, NewActivity } from "./schema.ts";

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const activities = resource(
  "api-v1-activities",
  {
    "GET /": endpoint({
      summary: doc("Lista as atividades", "List activities"),
      scope: "activities:read",
      query: ActivityFilter,
      reply: pageOf(Activity),
      verb: "activity_list",
    }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma atividade", "Show an activity"),
      scope: "activities:read",
      reply: Activity,
      verb: "activity_get",
    }),
    "POST /": endpoint({
      summary: doc("Cria uma atividade", "Create an activity"),
      scope: "activities:write",
      body: NewActivity,
      reply: Activity,
      status: 201,
      verb: "activity_create",
      idempotent: true,
      errors: writeErrors,
    }),
    "PATCH /:id": endpoint({
      summary: doc("Altera uma atividade", "Update an activity"),
      scope: "activities:write",
      body: ActivityPatch,
      reply: Activity,
      verb: "activity_update",
      errors: writeErrors,
    }),
  },
  doc(
    "Tarefas, ligações, reuniões e outras atividades de um negócio",
    "Tasks, calls, meetings and other activities of a deal",
  ),
);
