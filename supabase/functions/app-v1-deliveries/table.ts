// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-deliveries",
  gate: "session",
  routes: [
    { method: "GET", path: "/", operation: "delivery_list", requirement: "vendedor", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "GET", path: "/:id", operation: "delivery_get", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "POST", path: "/:id/redeliver", operation: "delivery_redeliver", requirement: "gestor", status: 200, body: { optional: true }, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).deliveries,
};
