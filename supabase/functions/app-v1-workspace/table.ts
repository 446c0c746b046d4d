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
    { method: "GET", path: "/", operation: "workspace_get", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "PATCH", path: "/", operation: "workspace_update", requirement: "admin", status: 200, body: {} },
  ],
  load: async () => (await import("./routes.ts")).workspace,
};
