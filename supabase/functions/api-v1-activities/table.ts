// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-activities",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "activity_list", requirement: "activities:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "POST", path: "/batch", operation: "activity_batch", requirement: "activities:write", status: 200, takesQuery: true, body: { limits: { bytes: 1048576, values: 50000 } }, idempotent: true, finish: "batch results" },
    { method: "GET", path: "/:id", operation: "activity_get", requirement: "activities:read", status: 200, takesQuery: "expand", emptyArgs: {}, etag: true },
    { method: "POST", path: "/", operation: "activity_create", requirement: "activities:write", status: 201, body: {}, idempotent: true, etag: true },
    { method: "PATCH", path: "/:id", operation: "activity_update", requirement: "activities:write", status: 200, body: {}, etag: true },
  ],
  load: async () => (await import("./routes.ts")).activities,
};
