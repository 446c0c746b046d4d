// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-workspace",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "workspace_get", requirement: "workspace:read", status: 200, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).workspace,
};
