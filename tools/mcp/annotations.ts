import type { Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import type { Annotations } from "../../supabase/functions/mcp/tools.ts";

/**
 * Actions that neither overwrite nor remove anything, by the name of their operation. Every other change, except a
 * creation, counts as destructive. Hosts ask a person before a destructive call.
 */
const TAKE_NOTHING_AWAY = [
  "company_restore",
  "contact_restore",
  "deal_restore",
  "webhook_test",
  "webhook_redeliver",
  "webhook_redeliver_all",
  "webhook_reactivate",
  "webhook_recover",
];

/** MCP's `ToolAnnotations` of a tool, derived from its endpoint. */
export function annotationsOf({ method, endpoint }: Route): Annotations {
  const { status, query, operation, idempotent, findsExisting, etag } = endpoint;
  const readOnly = method === "GET";
  // An upsert is no creation here, because it may overwrite a record.
  const creates = status === 201 && !("match_by" in query.shape);
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && !creates && !TAKE_NOTHING_AWAY.includes(operation),
    // A creation is idempotent, because its idempotency key is derived from its arguments. An action on a record with a
    // version changes nothing if the record is already in the requested state.
    idempotentHint: readOnly || idempotent || findsExisting || method !== "POST" || etag !== undefined,
    // No open world: a tool reaches only the records of one workspace.
    openWorldHint: false,
  };
}
