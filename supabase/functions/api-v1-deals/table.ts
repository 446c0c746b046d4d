// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-deals",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "deal_list", requirement: "deals:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "GET", path: "/summary", operation: "deal_summary", requirement: "deals:read", status: 200, takesQuery: true, emptyArgs: {} },
    { method: "POST", path: "/upsert", operation: "deal_upsert", requirement: "deals:write", status: 201, takesQuery: true, body: {}, idempotent: true, etag: true },
    { method: "POST", path: "/batch", operation: "deal_batch", requirement: "deals:write", status: 200, takesQuery: true, body: { limits: { bytes: 1048576, values: 50000 } }, idempotent: true, finish: "batch results" },
    { method: "POST", path: "/reassign", operation: "deal_reassign", requirement: "deals:write", status: 200, body: {} },
    { method: "GET", path: "/:id", operation: "deal_get", requirement: "deals:read", status: 200, takesQuery: "expand", emptyArgs: {}, etag: true },
    { method: "POST", path: "/", operation: "deal_create", requirement: "deals:write", status: 201, body: {}, idempotent: true, etag: true },
    { method: "PATCH", path: "/:id", operation: "deal_update", requirement: "deals:write", status: 200, body: {}, etag: true },
    { method: "POST", path: "/:id/move-stage", operation: "deal_move_stage", requirement: "deals:write", status: 200, body: {}, etag: true },
    { method: "POST", path: "/:id/win", operation: "deal_win", requirement: "deals:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true, namesUnapplied: true },
    { method: "POST", path: "/:id/lose", operation: "deal_lose", requirement: "deals:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true, namesUnapplied: true },
    { method: "GET", path: "/:id/contacts", operation: "deal_contact_list", requirement: "deals:read", status: 200, emptyArgs: {} },
    { method: "POST", path: "/:id/contacts", operation: "deal_contact_add", requirement: "deals:write", status: 201, body: {} },
    { method: "DELETE", path: "/:id/contacts/:contact_id", operation: "deal_contact_remove", requirement: "deals:write", status: 204, emptyArgs: {} },
    { method: "POST", path: "/:id/archive", operation: "deal_archive", requirement: "deals:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true },
    { method: "POST", path: "/:id/restore", operation: "deal_restore", requirement: "deals:write", status: 200, body: { optional: true }, emptyArgs: {}, etag: true },
  ],
  load: async () => (await import("./routes.ts")).deals,
};
