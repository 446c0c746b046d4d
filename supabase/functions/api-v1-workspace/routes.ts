import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { Workspace } from "./schema.ts";

export const workspace = resource(
  "api-v1-workspace",
  {
    "GET /": endpoint({
      summary: doc(
        "Mostra membros, motivos de perda, pipelines e tipos de evento",
        "Show members, loss reasons, pipelines and event types",
      ),
      scope: "workspace:read",
      reply: Workspace,
      verb: "workspace_get",
    }),
  },
  doc("O que se pode escolher na empresa da chave", "What can be chosen in the key's workspace"),
);
