// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-apps",
  gate: "session",
  routes: [
    { method: "GET", path: "/", operation: "grant_list", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "POST", path: "/", operation: "grant_create", requirement: "vendedor", status: 201, body: {} },
    { method: "POST", path: "/:id/revoke", operation: "grant_revoke", requirement: "vendedor", status: 200, body: { optional: true }, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).apps,
};
