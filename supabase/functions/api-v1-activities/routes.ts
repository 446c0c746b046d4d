import { batchOf } from "../_shared/contract/batch.ts";
import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { endpointsOf } from "../_shared/contract/record_endpoints.ts";
import { activity } from "./record.ts";

const usual = endpointsOf(activity);

const writeErrors = ["invalid_reference", "no_owner_available"] as const;

export const activities = resource(
  "api-v1-activities",
  {
    "GET /": endpoint({
      summary: doc("Lista as atividades", "List activities"),
      scope: "activities:read",
      ...usual.list,
      errors: ["invalid_reference"],
    }),
    "POST /batch": endpoint({ scope: "activities:write", ...batchOf(activity) }),
    "GET /:id": endpoint({
      summary: doc("Mostra uma atividade", "Show an activity"),
      scope: "activities:read",
      ...usual.get,
    }),
    "POST /": endpoint({
      summary: doc("Cria uma atividade", "Create an activity"),
      scope: "activities:write",
      ...usual.create,
      errors: writeErrors,
    }),
    "PATCH /:id": endpoint({
      summary: doc("Altera uma atividade", "Update an activity"),
      scope: "activities:write",
      ...usual.update,
      errors: writeErrors,
    }),
  },
  doc(
    "Tarefas, ligações, reuniões e outras atividades de um negócio",
    "Tasks, calls, meetings and other activities of a deal",
  ),
);
