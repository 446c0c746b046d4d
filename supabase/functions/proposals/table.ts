// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "proposals",
  gate: "link",
  routes: [
    { method: "GET", path: "/:token", operation: "proposal_view", requirement: null, status: 200, head: false, emptyArgs: {} },
    { method: "POST", path: "/:token/accept", operation: "proposal_accept", requirement: null, status: 200, emptyArgs: {} },
    { method: "POST", path: "/:token/reject", operation: "proposal_reject", requirement: null, status: 200, body: { optional: true }, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).proposals,
};
