// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-funnel",
  gate: "session",
  routes: [
    { method: "GET", path: "/", operation: "funnel_get", requirement: "vendedor", status: 200, takesQuery: true, emptyArgs: {} },
    { method: "GET", path: "/deals/:id", operation: "funnel_deal", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "POST", path: "/deals/:id/proposals", operation: "deal_proposal_create", requirement: "vendedor", status: 201, body: {} },
    { method: "POST", path: "/proposals/:id/link", operation: "proposal_link", requirement: "vendedor", status: 200, body: { optional: true } },
    { method: "POST", path: "/proposals/:id/send", operation: "proposal_send", requirement: "vendedor", status: 200, body: { optional: true }, emptyArgs: {} },
  ],
  load: async () => (await import("./routes.ts")).funnel,
};
