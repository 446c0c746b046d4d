// Written by deno task tables.
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-keys",
  gate: "session",
  routes: [{
    method: "GET",
    path: "/",
    operation: "key_list",
    requirement: "vendedor",
    status: 200,
    emptyArgs: {},
  }, {
    method: "GET",
    path: "/:id",
    operation: "key_get",
    requirement: "vendedor",
    status: 200,
    emptyArgs: {},
  }, {
    method: "POST",
    path: "/",
    operation: "key_create",
    requirement: "gestor",
    status: 201,
    body: { limits: { bytes: 262144, values: 6000 }, malformed: "bad_request" },
  }, {
    method: "PATCH",
    path: "/:id",
    operation: "key_update",
    requirement: "gestor",
    status: 200,
    body: { limits: { bytes: 262144, values: 6000 }, malformed: "bad_request" },
  }, {
    method: "POST",
    path: "/:id/rotate",
    operation: "key_rotate",
    requirement: "gestor",
    status: 200,
    body: { limits: { bytes: 262144, values: 6000 }, malformed: "bad_request" },
  }, {
    method: "POST",
    path: "/:id/revoke",
    operation: "key_revoke",
    requirement: "gestor",
    status: 200,
    body: { limits: { bytes: 262144, values: 6000 }, malformed: "bad_request", optional: true },
    emptyArgs: {},
  }],
  load: async () => (await import("./routes.ts")).keys,
};
