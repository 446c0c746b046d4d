// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-notes",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "note_list", requirement: "notes:read", status: 200, takesQuery: true, emptyErrors: [{ field: "deal_id", message: "Informe ao menos um de deal_id, company_id e contact_id" }] },
    { method: "POST", path: "/batch", operation: "note_batch", requirement: "notes:write", status: 200, takesQuery: true, body: { limits: { bytes: 1048576, values: 50000 } }, idempotent: true, finish: "batch results" },
    { method: "GET", path: "/:id", operation: "note_get", requirement: "notes:read", status: 200, takesQuery: "expand", emptyArgs: {}, etag: true },
    { method: "POST", path: "/", operation: "note_create", requirement: "notes:write", status: 201, body: {}, idempotent: true, etag: true },
  ],
  load: async () => (await import("./routes.ts")).notes,
};
