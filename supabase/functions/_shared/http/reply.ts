import type { RateLimit } from "../postgres/door.ts";
import type { ApiError } from "../contract/errors.ts";

/** Headers a reply may carry beyond the usual ones. */
export const REPLY_HEADERS = [
  "X-Request-Id",
  "RateLimit-Policy",
  "RateLimit",
  "Retry-After",
  "Location",
  "Allow",
  "Idempotent-Replayed",
  "X-Ignored-Fields",
] as const;

/** Seconds of the rate limit's window (spec 8). */
const RATE_WINDOW_SECONDS = 60;
/** Seconds that a client should wait when the database is away. */
const UNAVAILABLE_RETRY_SECONDS = 5;

/** A reply of JSON text, sent on as it is; null for a reply without a body. */
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
      ...headers,
    },
  });
}

/** The error envelope (spec 7). */
export function errorReply(error: ApiError): Response {
  return jsonReply(error.status, error.body(), {
    ...(error.code === "service_unavailable" && { "Retry-After": String(UNAVAILABLE_RETRY_SECONDS) }),
    ...error.headers,
  });
}

/** RateLimit and RateLimit-Policy of the IETF draft, once the key is known; Retry-After on a 429 (spec 8). */
export function rateHeaders(rate: RateLimit | null, exceeded: boolean): Record<string, string> {
  if (rate === null) return {};
  return {
    "RateLimit-Policy": `"default";q=${rate.limit};w=${RATE_WINDOW_SECONDS}`,
    "RateLimit": `"default";r=${rate.remaining};t=${rate.resetSeconds}`,
    ...(exceeded && { "Retry-After": String(rate.resetSeconds) }),
  };
}

/** Characters of X-Ignored-Fields at most: some clients give up on headers of 16 KB. */
const IGNORED_FIELDS_LENGTH = 1_000;

/** The header that names ignored body fields, in characters that a header takes; as many names as fit. */
export function ignoredFieldsHeader(ignored: string[]): Record<string, string> {
  const names: string[] = [];
  let length = 0;
  for (const field of ignored) {
    const name = encodeURIComponent(field.toWellFormed());
    length += name.length + 2;
    if (length > IGNORED_FIELDS_LENGTH) break;
    names.push(name);
  }
  return names.length === 0 ? {} : { "X-Ignored-Fields": names.join(", ") };
}
