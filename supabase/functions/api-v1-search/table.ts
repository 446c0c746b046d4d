// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "api-v1-search",
  gate: "key",
  routes: [
    { method: "GET", path: "/", operation: "search_list", requirement: null, status: 200, takesQuery: true, emptyErrors: [{ field: "q", message: "Campo obrigatório" }] },
  ],
  load: async () => (await import("./routes.ts")).search,
};
