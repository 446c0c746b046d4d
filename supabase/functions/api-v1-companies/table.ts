// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-companies",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "company_list", requirement: "companies:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "GET", path: "/duplicates", operation: "company_duplicates", requirement: "companies:read", status: 200, takesQuery: true, emptyErrors: [{ field: "by", message: "Deve ser um de \"name\", \"tax_id\", \"domain\"" }] },
    { method: "POST", path: "/upsert", operation: "company_upsert", requirement: "companies:write", status: 201, takesQuery: true, body: {}, idempotent: true, etag: true },
    { method: "POST", path: "/batch", operation: "company_batch", requirement: "companies:write", status: 200, takesQuery: true, body: { limits: { bytes: 1048576, values: 50000 } }, idempotent: true, finish: "batch results" },
    { method: "GET", path: "/:id", operation: "company_get", requirement: "companies:read", status: 200, takesQuery: "expand", emptyArgs: {}, etag: true },
    { method: "GET", path: "/:id/timeline", operation: "company_timeline", requirement: "companies:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "POST", path: "/", operation: "company_create", requirement: "companies:write", status: 201, body: {}, idempotent: true, etag: true, prefersRepresentation: true },
    { method: "PATCH", path: "/:id", operation: "company_update", requirement: "companies:write", status: 200, body: {}, etag: true },
    { method: "POST", path: "/:id/merge", operation: "company_merge", requirement: "companies:write", status: 200, body: {}, etag: true, continues: true },
    { method: "POST", path: "/:id/archive", operation: "company_archive", requirement: "companies:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true },
    { method: "POST", path: "/:id/restore", operation: "company_restore", requirement: "companies:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true },
  ],
  load: async () => (await import("./routes.ts")).companies,
};
