import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import { sha256 } from "../runtime/sha256.ts";

/** The request header of spec 4.0.1. */
export const IDEMPOTENCY_HEADER = "Idempotency-Key";

/** Returns the header's value, null when it is absent, or invalid_idempotency_key when it is not 1-255 characters. */
export function readIdempotencyKey(headers: Headers): string | null | ApiError {
  const key = headers.get(IDEMPOTENCY_HEADER);
  if (key !== null && (key.length < 1 || key.length > 255)) return new ApiError("invalid_idempotency_key");
  return key;
}

/**
 * SHA-256, in hex, of an operation and its body: two POSTs with the same hash are the same request.
 *
 * @param operation its name, and its query where it takes one
 * @param body bytes if the body is no valid JSON: they equal no body that was ever stored
 */
export function hashRequest(operation: string, body: Json | Uint8Array): string {
  return sha256(`${operation}\n`, body instanceof Uint8Array ? body : canonicalJson(body));
}

/** Serializes JSON with sorted object keys, so that the order of keys and white space do not change the hash. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) =>
    `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`
  );
  return `{${members.join(",")}}`;
}
