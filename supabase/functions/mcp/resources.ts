// Written by deno task tools.
import type { RouteTable } from "../_shared/contract/route_table.ts";

/** Loads the table of endpoints of a resource, by the name of its function. A call loads only its own. */
export const RESOURCES: Readonly<Record<string, () => Promise<RouteTable>>> = {
  "api-v1-activities": async () => (await import("../api-v1-activities/table.ts")).table,
  "api-v1-changes": async () => (await import("../api-v1-changes/table.ts")).table,
  "api-v1-companies": async () => (await import("../api-v1-companies/table.ts")).table,
  "api-v1-contacts": async () => (await import("../api-v1-contacts/table.ts")).table,
  "api-v1-deals": async () => (await import("../api-v1-deals/table.ts")).table,
  "api-v1-events": async () => (await import("../api-v1-events/table.ts")).table,
  "api-v1-leads": async () => (await import("../api-v1-leads/table.ts")).table,
  "api-v1-me": async () => (await import("../api-v1-me/table.ts")).table,
  "api-v1-notes": async () => (await import("../api-v1-notes/table.ts")).table,
  "api-v1-operations": async () => (await import("../api-v1-operations/table.ts")).table,
  "api-v1-pipelines": async () => (await import("../api-v1-pipelines/table.ts")).table,
  "api-v1-search": async () => (await import("../api-v1-search/table.ts")).table,
  "api-v1-webhooks": async () => (await import("../api-v1-webhooks/table.ts")).table,
  "api-v1-workspace": async () => (await import("../api-v1-workspace/table.ts")).table,
};
