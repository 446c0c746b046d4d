// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-webhooks",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "webhook_list", requirement: "webhooks:manage", status: 200, emptyArgs: {} },
    { method: "POST", path: "/", operation: "webhook_create", requirement: "webhooks:manage", status: 201, body: {} },
    { method: "GET", path: "/:id", operation: "webhook_get", requirement: "webhooks:manage", status: 200, emptyArgs: {}, etag: true },
    { method: "PATCH", path: "/:id", operation: "webhook_update", requirement: "webhooks:manage", status: 200, body: {} },
    { method: "GET", path: "/:id/deliveries", operation: "webhook_deliveries", requirement: "webhooks:manage", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "GET", path: "/:id/deliveries/:delivery_id", operation: "webhook_delivery", requirement: "webhooks:manage", status: 200, emptyArgs: {} },
    { method: "POST", path: "/:id/deliveries/:delivery_id/redeliver", operation: "webhook_redeliver", requirement: "webhooks:manage", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/:id/deliveries/redeliver", operation: "webhook_redeliver_all", requirement: "webhooks:manage", status: 200, body: {} },
    { method: "POST", path: "/:id/test", operation: "webhook_test", requirement: "webhooks:manage", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/:id/reactivate", operation: "webhook_reactivate", requirement: "webhooks:manage", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/:id/recover", operation: "webhook_recover", requirement: "webhooks:manage", status: 202, body: {} },
    { method: "POST", path: "/:id/rotate-secret", operation: "webhook_rotate_secret", requirement: "webhooks:manage", status: 200, body: {} },
    { method: "DELETE", path: "/:id", operation: "webhook_delete", requirement: "webhooks:manage", status: 204, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).webhooks,
};
