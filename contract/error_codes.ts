import { z } from "zod";
import type { Endpoint, Route } from "../supabase/functions/_shared/contract/endpoint.ts";
import { type ErrorCode, ERRORS, isErrorCode } from "../supabase/functions/_shared/contract/errors.ts";

/** What any operation may answer, before or beside its own logic (spec 5.7, 7). */
export const EVERYWHERE: readonly ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "revoked_api_key",
  "workspace_suspended",
  "feature_disabled",
  "insufficient_scope",
  "rate_limited",
  "method_not_allowed",
  "internal_error",
  "service_unavailable",
];

const IDEMPOTENCY: readonly ErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_conflict",
  "idempotency_in_progress",
];

/** Every code that an operation may answer with, in the order of the error table; read off its declaration. */
export function errorCodes({ path, endpoint }: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...EVERYWHERE,
    // An unknown query parameter is refused everywhere.
    "validation_error",
    ...(path.includes(":id") ? ["not_found"] as const : []),
    ...(endpoint.body ? [endpoint.malformed, "payload_too_large"] as const : []),
    ...(endpoint.idempotent ? IDEMPOTENCY : []),
    ...refusals(endpoint),
    ...endpoint.errors,
  ]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** Codes by the status they belong to. */
export function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => ERRORS[code].status);
}

/** The codes of checks made with `refuse(code, …)` in the body and the query. */
export function refusals({ body, query }: Endpoint): ErrorCode[] {
  const found: ErrorCode[] = [];
  for (const schema of [query, ...(body ? [body] : [])]) {
    z.toJSONSchema(schema, {
      io: "input",
      override: ({ zodSchema }) => {
        for (const check of zodSchema._zod.def.checks ?? []) {
          const { params } = check._zod.def as { params?: { refusal?: string } };
          if (params?.refusal && isErrorCode(params.refusal)) found.push(params.refusal);
        }
      },
    });
  }
  return found;
}
