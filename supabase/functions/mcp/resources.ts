// Written by deno task tools.
import type { Resource } from "../_shared/contract/endpoint.ts";

/** Loads the table of endpoints of a resource, by the name of its function. A call loads only its own. */
export const RESOURCES: Readonly<Record<string, () => Promise<Resource>>> = {
  "api-v1-activities": async () => (await import("../api-v1-activities/routes.ts")).activities,
  "api-v1-changes": async () => (await import("../api-v1-changes/routes.ts")).changes,
  "api-v1-companies": async () => (await import("../api-v1-companies/routes.ts")).companies,
  "api-v1-contacts": async () => (await import("../api-v1-contacts/routes.ts")).contacts,
  "api-v1-deals": async () => (await import("../api-v1-deals/routes.ts")).deals,
  "api-v1-events": async () => (await import("../api-v1-events/routes.ts")).events,
  "api-v1-leads": async () => (await import("../api-v1-leads/routes.ts")).leads,
  "api-v1-me": async () => (await import("../api-v1-me/routes.ts")).me,
  "api-v1-notes": async () => (await import("../api-v1-notes/routes.ts")).notes,
  "api-v1-pipelines": async () => (await import("../api-v1-pipelines/routes.ts")).pipelines,
  "api-v1-webhooks": async () => (await import("../api-v1-webhooks/routes.ts")).webhooks,
  "api-v1-workspace": async () => (await import("../api-v1-workspace/routes.ts")).workspace,
};
