import { doc } from "../_shared/contract/doc.ts";
import { customFields } from "../_shared/contract/custom_fields.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import {
  SessionList,
  Workspace,
  WorkspaceChoices,
  WorkspacePatch,
  WorkspaceSearchQuery,
  WorkspaceSearchResult,
} from "./schema.ts";

const answer = {
  role: null,
  ...noBody,
  reply: WorkspaceChoices,
} as const;

export const workspace = resource(
  "app-v1-workspace",
  {
    "GET /choices": endpoint({
      summary: doc(
        "Lista as empresas e os convites da pessoa que entrou",
        "List the workspaces and invitations of the signed-in person",
      ),
      role: null,
      reply: WorkspaceChoices,
      verb: "workspace_choices",
    }),
    "POST /invitations/:id/accept": endpoint({
      summary: doc("Aceita um convite", "Accept an invitation"),
      ...answer,
      verb: "invitation_accept",
    }),
    "POST /invitations/:id/decline": endpoint({
      summary: doc("Recusa um convite", "Decline an invitation"),
      ...answer,
      verb: "invitation_decline",
    }),
    "GET /sessions": endpoint({
      summary: doc("Lista as sessões da pessoa que entrou", "List the sessions of the signed-in person"),
      role: null,
      reply: SessionList,
      verb: "session_list",
    }),
    "GET /": endpoint({
      summary: doc("Mostra a empresa, o plano e o uso", "Show the workspace, its plan and its usage"),
      role: "vendedor",
      reply: Workspace,
      verb: "workspace_get",
    }),
    "PATCH /": endpoint({
      summary: doc("Altera a empresa", "Change the workspace"),
      role: "admin",
      body: WorkspacePatch,
      reply: Workspace,
      verb: "workspace_update",
    }),
    "GET /search": endpoint({
      summary: doc(
        "Busca chaves, webhooks, negócios, contatos e empresas por palavras, ou qualquer objeto pelo identificador",
        "Search keys, webhooks, deals, contacts and companies by words, or any object by its id",
      ),
      role: "vendedor",
      query: WorkspaceSearchQuery,
      reply: WorkspaceSearchResult,
      verb: "workspace_search",
    }),
    "GET /custom-fields": endpoint({ role: "vendedor", ...customFields.list }),
    "POST /custom-fields": endpoint({ role: "admin", ...customFields.create }),
    "PATCH /custom-fields/:id": endpoint({ role: "admin", ...customFields.update }),
    "POST /custom-fields/:id/archive": endpoint({ role: "admin", ...customFields.archive }),
    "POST /custom-fields/:id/restore": endpoint({ role: "admin", ...customFields.restore }),
  },
  doc("A empresa de quem entrou", "The workspace of the signed-in person"),
);
