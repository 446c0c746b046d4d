import { doc } from "../_shared/contract/doc.ts";
import { endpoint, noBody, resource } from "../_shared/contract/endpoint.ts";
import { Grant, GrantList, NewGrant } from "./schema.ts";

export const apps = resource(
  "app-v1-apps",
  {
    "GET /": endpoint({
      summary: doc("Lista os aplicativos autorizados", "List the granted apps"),
      role: "vendedor",
      reply: GrantList,
      verb: "grant_list",
    }),
    "POST /": endpoint({
      summary: doc("Autoriza um aplicativo", "Grant an app access"),
      role: "vendedor",
      body: NewGrant,
      reply: Grant,
      status: 201,
      verb: "grant_create",
    }),
    "POST /:id/revoke": endpoint({
      summary: doc("Revoga o acesso de um aplicativo", "Revoke an app's access"),
      role: "vendedor",
      ...noBody,
      reply: Grant,
      verb: "grant_revoke",
    }),
  },
  doc("Os aplicativos que agem por uma pessoa", "The apps that act for a person"),
);
