// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-events",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "event_list", requirement: "events:read", status: 200, takesQuery: true, emptyArgs: { limit: 50 } },
  ],
  load: async () => (await import("./routes.ts")).events,
};
