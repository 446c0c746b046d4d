// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-activity",
  gate: "session",
  routes: [
    { method: "GET", path: "/", operation: "action_list", requirement: "vendedor", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
    { method: "GET", path: "/events", operation: "event_list", requirement: "vendedor", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
  ],
  load: async () => (await import("./routes.ts")).activity,
};
