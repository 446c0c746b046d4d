// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-pipelines",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "pipeline_list", requirement: "pipelines:read", status: 200, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).pipelines,
};
