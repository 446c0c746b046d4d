// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-health",
  gate: "none",
  routes: [
    { method: "GET", path: "/", operation: "health", requirement: null, status: 200, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).health,
};
