// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-members",
  gate: "session",
  routes: [
    { method: "GET", path: "/", operation: "member_list", requirement: "vendedor", status: 200, emptyArgs: {} },
    { method: "POST", path: "/", operation: "member_invite", requirement: "admin", status: 201, body: {}, finish: "by endpoint" },
    { method: "PATCH", path: "/:id", operation: "member_update", requirement: "admin", status: 200, body: {} },
    { method: "POST", path: "/leave", operation: "member_leave", requirement: "vendedor", status: 200, body: { optional: true }, emptyArgs: {} },
    { method: "POST", path: "/:id/invite", operation: "member_reinvite", requirement: "admin", status: 200, body: { optional: true }, emptyArgs: {}, finish: "by endpoint" },
  ],
  load: async () => (await import("./routes.ts")).members,
};
