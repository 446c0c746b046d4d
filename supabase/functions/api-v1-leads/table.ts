// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-leads",
  gate: "key",
  routes: [
    { method: "POST", path: "/", operation: "lead_create", requirement: "leads:write", status: 201, body: { malformed: "invalid_body" }, idempotent: true },
  ],
  load: async () => (await import("./routes.ts")).leads,
};
