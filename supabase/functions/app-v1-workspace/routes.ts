import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { WorkspaceChoices } from "./schema.ts";

export const workspace = resource(
  "app-v1-workspace",
  {
    "GET /choices": endpoint({
      summary: doc(
        "Lista as empresas da pessoa que entrou",
        "List the workspaces of the person who is signed in",
      ),
      gate: "session",
      role: null,
      reply: WorkspaceChoices,
      verb: "workspace_choices",
    }),
  },
  doc("A empresa de quem entrou", "The workspace of the person who is signed in"),
);
