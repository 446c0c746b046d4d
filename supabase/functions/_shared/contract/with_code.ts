import type { ErrorCode } from "./errors.ts";

/**
 * Options for a check with its own error code (`invalid_cursor`, `invalid_event_type`, …). The reply has that code if
 * every failed check of the request has one, else validation_error.
 */
export function withCode(code: ErrorCode, message: string) {
  return { params: { code }, error: message };
}
