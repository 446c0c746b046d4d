// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-webhooks",
  gate: "session",
  routes: [
    { method: "GET", path: "/", operation: "subscription_list", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "GET", path: "/:id", operation: "subscription_get", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "POST", path: "/", operation: "subscription_create", requirement: "gestor", status: 201, body: {} },
    { method: "PATCH", path: "/:id", operation: "subscription_update", requirement: "gestor", status: 200, body: {} },
    { method: "POST", path: "/:id/deliveries/redeliver", operation: "subscription_redeliver", requirement: "gestor", status: 200, body: {} },
    { method: "POST", path: "/:id/test", operation: "subscription_test", requirement: "gestor", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/:id/reactivate", operation: "subscription_reactivate", requirement: "gestor", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/:id/recover", operation: "subscription_recover", requirement: "gestor", status: 202, body: {} },
    { method: "POST", path: "/:id/rotate", operation: "subscription_rotate", requirement: "gestor", status: 200, body: {} },
    { method: "DELETE", path: "/:id", operation: "subscription_delete", requirement: "gestor", status: 204, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).webhooks,
};
