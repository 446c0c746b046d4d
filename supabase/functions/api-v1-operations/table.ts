// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-operations",
  gate: "key",
  routes: [
    { method: "GET", path: "/:id", operation: "operation_get", requirement: null, status: 200, emptyArgs: {}, etag: true },
  ],
  load: async () => (await import("./routes.ts")).operations,
};
