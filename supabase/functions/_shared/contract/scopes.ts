/** Every scope that some endpoint requires (spec 5.4). Write does not imply read. */
export const SCOPES = [
  "leads:write",
  "deals:read",
  "deals:write",
  "activities:read",
  "activities:write",
  "contacts:read",
  "contacts:write",
  "contacts:manage",
  "companies:read",
  "companies:write",
  "notes:read",
  "notes:write",
  "pipelines:read",
  "workspace:read",
  "workspace:manage",
  "events:read",
  "changes:read",
  "webhooks:manage",
] as const;

/** A scope that an endpoint can require; a misspelt scope does not compile. */
export type Scope = typeof SCOPES[number];

/** Whether a key can have this scope. A scope that no endpoint requires is stored and grants nothing (spec 5.3). */
export function isWellFormedScope(scope: string): boolean {
  return /^[a-z][a-z0-9_-]{0,59}:(read|write|manage)$/.test(scope);
}
