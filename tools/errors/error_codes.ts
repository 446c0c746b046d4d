import { z } from "zod";
import type { GateName } from "../../supabase/functions/_shared/contract/declaration.ts";
import { type Endpoint, type Route, takesQuery } from "../../supabase/functions/_shared/contract/endpoint.ts";
import { type ErrorCode, ERRORS, isErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { GATES } from "../../supabase/functions/_shared/http/gates.ts";
import { sessionGate } from "../../supabase/functions/_shared/http/session_gate.ts";

/**
 * Every error code that all operations of a gate share: the codes of the gate, the codes of routing, and internal_error
 * (spec 5.7, 7).
 */
export function gateErrorCodes(gate: GateName): readonly ErrorCode[] {
  const { errors = [] } = { ...GATES, session: sessionGate }[gate] ?? {};
  return sortCodes([...errors, "method_not_allowed", "internal_error"]);
}

const BODY: readonly ErrorCode[] = ["payload_too_large", "request_timeout", "validation_error"];

const IDEMPOTENCY: readonly ErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_conflict",
  "idempotency_in_progress",
];

/** Every error code that an operation can return, derived from its declaration, in the order of the error table. */
export function errorCodes({ method, path, endpoint }: Route): ErrorCode[] {
  return sortCodes([
    ...gateErrorCodes(endpoint.gate),
    // A write without query parameters refuses `dry_run`.
    ...(takesQuery(endpoint) || method !== "GET" ? ["validation_error"] as const : []),
    ...(path.includes(":id") ? ["not_found"] as const : []),
    ...(endpoint.body ? [endpoint.malformed, ...BODY] : []),
    ...(endpoint.idempotent ? IDEMPOTENCY : []),
    ...(method === "PATCH" && endpoint.etag ? ["precondition_failed"] as const : []),
    ...codesOfChecks(endpoint),
    ...endpoint.errors,
  ]);
}

/** The codes without repetitions, in the order of the error table. */
export function sortCodes(codes: readonly ErrorCode[]): ErrorCode[] {
  const wanted = new Set(codes);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => wanted.has(code));
}

export function groupByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => ERRORS[code].status);
}

/** Finds the error codes that `withCode(code, …)` gives to checks in the schemas of the query and the body. */
export function codesOfChecks({ body, query }: Endpoint): ErrorCode[] {
  const found: ErrorCode[] = [];
  for (const schema of [query, ...(body ? [body] : [])]) {
    z.toJSONSchema(schema, {
      io: "input",
      override: ({ zodSchema }) => {
        for (const check of zodSchema._zod.def.checks ?? []) {
          const { params } = check._zod.def as { params?: { code?: string } };
          if (params?.code && isErrorCode(params.code)) found.push(params.code);
        }
      },
    });
  }
  return found;
}
