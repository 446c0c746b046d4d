import { ApiError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import { sha256 } from "../runtime/sha256.ts";

/** The request header that makes a POST safe to repeat (spec 4.0.1). */
export const IDEMPOTENCY_HEADER = "Idempotency-Key";

/**
 * Returns the key; null if the header is absent; or invalid_idempotency_key if the key does not have 1 to 255
 * characters.
 */
export function readIdempotencyKey(headers: Headers): string | null | ApiError {
  const key = headers.get(IDEMPOTENCY_HEADER);
  if (key !== null && (key.length < 1 || key.length > 255)) return new ApiError("invalid_idempotency_key");
  return key;
}

/**
 * SHA-256, in hex, of an operation and its body: two POSTs with the same hash count as the same request.
 *
 * @param operation the operation's name, followed by its query if it takes one
 * @param body the parsed body. If it cannot be parsed or stored: its bytes, so that the hash equals no stored hash
 */
export function hashRequest(operation: string, body: Json | Uint8Array): string {
  return sha256(`${operation}\n`, body instanceof Uint8Array ? body : canonicalJson(body));
}

/** Serializes JSON with sorted keys, so that neither the order of keys nor white space changes the hash. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) =>
    `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`
  );
  return `{${members.join(",")}}`;
}
