// Written by deno task tables.
// deno-fmt-ignore-file
import type { RouteTable } from "../_shared/contract/route_table.ts";

export const table: RouteTable = {
  name: "app-v1-contacts",
  gate: "session",
  routes: [
    { method: "POST", path: "/import", operation: "contact_import", requirement: "gestor", status: 200, takesQuery: true, body: { limits: { bytes: 1048576, values: 50000 } }, finish: "batch results" },
  ],
  load: async () => (await import("./routes.ts")).appContacts,
};
