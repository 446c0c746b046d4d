import { z } from "zod";
import type { Endpoint, GateName, Route } from "../supabase/functions/_shared/contract/endpoint.ts";
import { type ErrorCode, ERRORS, isErrorCode } from "../supabase/functions/_shared/contract/errors.ts";
import { GATES } from "../supabase/functions/_shared/http/gates.ts";

/** Every code that a gate's operations may all answer with, before or beside their own logic (spec 5.7, 7). */
export function gateErrorCodes(gate: GateName): readonly ErrorCode[] {
  return sortCodes([...GATES[gate]?.errors ?? [], "method_not_allowed", "internal_error"]);
}

const IDEMPOTENCY: readonly ErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_conflict",
  "idempotency_in_progress",
];

/** Every code that an operation may answer with, in the order of the error table; read off its declaration. */
export function errorCodes({ path, endpoint }: Route): ErrorCode[] {
  return sortCodes([
    ...gateErrorCodes(endpoint.gate),
    // An unknown query parameter is refused.
    ...(endpoint.ignoreQuery ? [] : ["validation_error"] as const),
    ...(path.includes(":id") ? ["not_found"] as const : []),
    ...(endpoint.body ? [endpoint.malformed, "payload_too_large", "validation_error"] as const : []),
    ...(endpoint.idempotent ? IDEMPOTENCY : []),
    ...codesOfChecks(endpoint),
    ...endpoint.errors,
  ]);
}

function sortCodes(codes: readonly ErrorCode[]): ErrorCode[] {
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.includes(code));
}

/** Codes by the status they belong to. */
export function groupByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  return Map.groupBy(codes, (code) => ERRORS[code].status);
}

/** The codes of checks made with `withCode(code, …)` in the body and the query. */
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
