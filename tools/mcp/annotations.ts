import type { Route } from "../../supabase/functions/_shared/contract/endpoint.ts";
import type { Annotations } from "../../supabase/functions/mcp/tools.ts";

/**
 * Actions that take nothing away, by the name of their operation. Any other change that is no creation counts as destructive
 * until it is listed here, because hosts ask a person before a destructive call.
 */
const TAKE_NOTHING_AWAY = [
  "company_restore",
  "contact_restore",
  "deal_restore",
  "webhook_test",
  "webhook_redeliver",
  "webhook_reactivate",
  "webhook_recover",
];

/** MCP's `ToolAnnotations` of a tool, derived from its endpoint. */
export function annotationsOf({ method, endpoint }: Route, title: string): Annotations {
  const { status, query, operation, idempotent, etag } = endpoint;
  const readOnly = method === "GET";
  // An upsert may overwrite the record that it finds.
  const creates = status === 201 && !("match_by" in query.shape);
  return {
    title,
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && !creates && !TAKE_NOTHING_AWAY.includes(operation),
    // A creation is, by the idempotency key that follows from its arguments; an action on a record that shows its version
    // leaves a record alone that is in the requested state already.
    idempotentHint: readOnly || idempotent || method !== "POST" || etag !== undefined,
    // A tool reaches only the records of one workspace.
    openWorldHint: false,
  };
}
