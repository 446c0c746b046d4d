import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { syncedPageOf } from "../_shared/contract/pagination.ts";
import { activity } from "./record.ts";

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const activities = resource(
  "api-v1-activities",
  {
    "GET /": endpoint({
      summary: doc("Lista as atividades", "List activities"),
      scope: "activities:read",
      query: activity.query,
      reply: syncedPageOf(activity.reply),
      verb: "activity_list",
      errors: ["invalid_reference"],
    }),
    "POST /batch": endpoint({ scope: "activities:write", ...batchOf(activity) }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma atividade", "Show an activity"),
      scope: "activities:read",
      reply: activity.reply,
      verb: "activity_get",
      etag: true,
    }),
    "POST /": endpoint({
      summary: doc("Cria uma atividade", "Create an activity"),
      scope: "activities:write",
      body: activity.create,
      reply: activity.reply,
      status: 201,
      verb: "activity_create",
      etag: true,
      idempotent: true,
      errors: writeErrors,
    }),
    "PATCH /:id": endpoint({
      summary: doc("Altera uma atividade", "Update an activity"),
      scope: "activities:write",
      body: activity.update,
      reply: activity.reply,
      verb: "activity_update",
      etag: true,
      errors: writeErrors,
    }),
  },
  doc(
    "Tarefas, ligações, reuniões e outras atividades de um negócio",
    "Tasks, calls, meetings and other activities of a deal",
  ),
);
