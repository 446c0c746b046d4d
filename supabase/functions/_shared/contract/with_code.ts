import type { ErrorCode } from "./errors.ts";

/**
 * Options of a zod check that has its own error code, such as `invalid_cursor`. The reply has this code if every failed
 * check of the request has a code of its own; otherwise it has validation_error.
 */
export function withCode(code: ErrorCode, message: string) {
  return { params: { code }, error: message };
}
