// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-workspace",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "workspace_get", requirement: "workspace:read", status: 200, emptyArgs: {} },
    { method: "GET", path: "/custom-fields", operation: "custom_field_list", requirement: "workspace:read", status: 200, emptyArgs: {} },
    { method: "POST", path: "/custom-fields", operation: "custom_field_create", requirement: "workspace:manage", status: 201, body: {} },
    { method: "PATCH", path: "/custom-fields/:id", operation: "custom_field_update", requirement: "workspace:manage", status: 200, body: {} },
    { method: "POST", path: "/custom-fields/:id/archive", operation: "custom_field_archive", requirement: "workspace:manage", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/custom-fields/:id/restore", operation: "custom_field_restore", requirement: "workspace:manage", status: 200, body: { optional: true }, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).workspace,
};
