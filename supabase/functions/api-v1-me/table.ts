// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-me",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "me_get", requirement: null, status: 200, emptyArgs: {}, finish: "by endpoint" },
    { method: "GET", path: "/requests", operation: "me_requests", requirement: null, status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
  ],
  load: async () => (await import("./routes.ts")).me,
};
