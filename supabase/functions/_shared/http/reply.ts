import type { RateLimit } from "../postgres/door.ts";
import type { ApiError, ErrorCode } from "../contract/errors.ts";

/** The headers that a reply may have besides the standard ones. CORS lets pages of other origins read these headers. */
export const REPLY_HEADERS = [
  "X-Request-Id",
  "RateLimit-Policy",
  "RateLimit",
  "Retry-After",
  "Location",
  "Allow",
  "WWW-Authenticate",
  "ETag",
  "Preference-Applied",
  "Idempotent-Replayed",
  "X-Ignored-Fields",
  "X-Possible-Duplicate",
] as const;

/** Length of the rate limit's window, in seconds (spec 8). */
const RATE_WINDOW_SECONDS = 60;
/** `Retry-After` of errors after which the same call may succeed, unless the error has its own. */
const RETRY_SECONDS: Partial<Record<ErrorCode, number>> = {
  service_unavailable: 5,
  idempotency_in_progress: 1,
};

/** Creates a response from JSON text; if the text is null, without a body. */
export function jsonReply(
  status: number,
  body: string | null,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      ...(body !== null && { "Content-Type": "application/json; charset=utf-8" }),
      "Cache-Control": "no-store",
      // Keeps browsers from showing JSON as a page, whatever text a record contains.
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
  });
}

/** The status, body and headers of an error (spec 7). */
export function replyOf(error: ApiError): { status: number; body: string; headers: Record<string, string> } {
  const seconds = RETRY_SECONDS[error.code];
  const retry = seconds !== undefined && { "Retry-After": String(seconds) };
  return { status: error.status, body: error.body(), headers: { ...retry, ...error.headers } };
}

/** Creates the response for an error that occurs outside a call of a resource. */
export function errorReply(error: ApiError): Response {
  const { status, body, headers } = replyOf(error);
  return jsonReply(status, body, headers);
}

/** `RateLimit`, `RateLimit-Policy` (IETF draft), and `Retry-After` on a 429 (spec 8); none if `rate` is null. */
export function rateHeaders(rate: RateLimit | null, exceeded: boolean): Record<string, string> {
  if (rate === null) return {};
  return {
    "RateLimit-Policy": `"default";q=${rate.limit};w=${RATE_WINDOW_SECONDS}`,
    "RateLimit": `"default";r=${rate.remaining};t=${rate.resetSeconds}`,
    ...(exceeded && { "Retry-After": String(rate.resetSeconds) }),
  };
}

/** Maximum length of X-Ignored-Fields, in characters: some clients fail on headers of 16 KB. */
const IGNORED_FIELDS_LENGTH = 1_000;

/**
 * The header with the names of ignored fields: percent-encoded, except the brackets of `items[0]`, without the names
 * that do not fit into 1,000 characters.
 */
export function ignoredFieldsHeader(ignored: readonly string[]): Record<string, string> {
  const names: string[] = [];
  let length = 0;
  for (const field of ignored) {
    const name = encodeURIComponent(field.toWellFormed()).replace(/%5[BD]/g, decodeURIComponent);
    const longer = length + name.length + 2;
    if (longer > IGNORED_FIELDS_LENGTH) continue;
    length = longer;
    names.push(name);
  }
  return names.length === 0 ? {} : { "X-Ignored-Fields": names.join(", ") };
}
