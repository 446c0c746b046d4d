// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-keys",
  gate: "session",
  routes: [
    { method: "GET", path: "/", operation: "key_list", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "GET", path: "/:id", operation: "key_get", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "GET", path: "/:id/requests", operation: "key_requests", requirement: "vendedor", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "POST", path: "/", operation: "key_create", requirement: "gestor", status: 201, body: {} },
    { method: "PATCH", path: "/:id", operation: "key_update", requirement: "gestor", status: 200, body: {} },
    { method: "POST", path: "/:id/rotate", operation: "key_rotate", requirement: "gestor", status: 200, body: {} },
    { method: "POST", path: "/:id/revoke", operation: "key_revoke", requirement: "gestor", status: 200, body: { optional: true }, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).keys,
};
