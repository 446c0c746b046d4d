import { doc } from "../_shared/contract/doc.ts";
import { customFields } from "../_shared/contract/custom_fields.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { Workspace } from "./schema.ts";

export const workspace = resource(
  "api-v1-workspace",
  {
    "GET /": endpoint({
      summary: doc(
        "Mostra membros, motivos de perda, pipelines, tipos de evento e campos definidos",
        "Show members, loss reasons, pipelines, event types and defined fields",
      ),
      scope: "workspace:read",
      reply: Workspace,
      verb: "workspace_get",
    }),
    "GET /custom-fields": endpoint({ scope: "workspace:read", ...customFields.list }),
    "POST /custom-fields": endpoint({ scope: "workspace:manage", ...customFields.create }),
    "PATCH /custom-fields/:id": endpoint({ scope: "workspace:manage", ...customFields.update }),
    "POST /custom-fields/:id/archive": endpoint({ scope: "workspace:manage", ...customFields.archive }),
    "POST /custom-fields/:id/restore": endpoint({ scope: "workspace:manage", ...customFields.restore }),
  },
  doc(
    "A empresa da chave, com os ids que outras chamadas aceitam",
    "The key's workspace, with the ids that other calls accept",
  ),
);
