// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-workspace",
  gate: "session",
  routes: [
    { method: "GET", path: "/choices", operation: "workspace_choices", requirement: null, status: 200, emptyArgs: {} },
    { method: "POST", path: "/invitations/:id/accept", operation: "invitation_accept", requirement: null, status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/invitations/:id/decline", operation: "invitation_decline", requirement: null, status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "GET", path: "/sessions", operation: "session_list", requirement: null, status: 200, emptyArgs: {} },
    { method: "GET", path: "/", operation: "workspace_get", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "PATCH", path: "/", operation: "workspace_update", requirement: "admin", status: 200, body: {} },
    { method: "GET", path: "/search", operation: "workspace_search", requirement: "vendedor", status: 200, takesQuery: true, emptyErrors: [{ field: "q", message: "Campo obrigatório" }] },
    { method: "GET", path: "/custom-fields", operation: "custom_field_list", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "POST", path: "/custom-fields", operation: "custom_field_create", requirement: "admin", status: 201, body: {} },
    { method: "PATCH", path: "/custom-fields/:id", operation: "custom_field_update", requirement: "admin", status: 200, body: {} },
    { method: "POST", path: "/custom-fields/:id/archive", operation: "custom_field_archive", requirement: "admin", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/custom-fields/:id/restore", operation: "custom_field_restore", requirement: "admin", status: 200, body: { optional: true }, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).workspace,
};
