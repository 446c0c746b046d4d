// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-contacts",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "contact_list", requirement: "contacts:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "GET", path: "/duplicates", operation: "contact_duplicates", requirement: "contacts:read", status: 200, takesQuery: true, emptyErrors: [{ field: "by", message: "Deve ser um de \"email\", \"phone\"" }] },
    { method: "POST", path: "/upsert", operation: "contact_upsert", requirement: "contacts:write", status: 201, takesQuery: true, body: {}, idempotent: true, etag: true },
    { method: "POST", path: "/batch", operation: "contact_batch", requirement: "contacts:write", status: 200, takesQuery: true, body: { limits: { bytes: 1048576, values: 50000 } }, idempotent: true, finish: "batch results" },
    { method: "GET", path: "/:id", operation: "contact_get", requirement: "contacts:read", status: 200, takesQuery: "expand", emptyArgs: {}, etag: true },
    { method: "GET", path: "/:id/timeline", operation: "contact_timeline", requirement: "contacts:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "POST", path: "/", operation: "contact_create", requirement: "contacts:write", status: 201, body: {}, idempotent: true, prefersRepresentation: true },
    { method: "PATCH", path: "/:id", operation: "contact_update", requirement: "contacts:write", status: 200, body: {}, etag: true },
    { method: "POST", path: "/:id/merge", operation: "contact_merge", requirement: "contacts:write", status: 200, body: {}, etag: true, continues: true },
    { method: "POST", path: "/:id/archive", operation: "contact_archive", requirement: "contacts:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true },
    { method: "POST", path: "/:id/restore", operation: "contact_restore", requirement: "contacts:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true },
    { method: "POST", path: "/:id/erase", operation: "contact_erase", requirement: "contacts:manage", status: 200, body: { optional: true }, emptyArgs: {}, continues: true },
  ],
  load: async () => (await import("./routes.ts")).contacts,
};
