// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-changes",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "change_list", requirement: "changes:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "GET", path: "/summary", operation: "change_summary", requirement: "changes:read", status: 200, takesQuery: true, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).changes,
};
