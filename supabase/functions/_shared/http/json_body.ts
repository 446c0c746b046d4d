import { ApiError, type ErrorCode, type FieldError } from "../contract/errors.ts";
import {
  isObject,
  isStorableNumber,
  isStorableText,
  type Json,
  type JsonObject,
  MAX_CENTS,
  RESERVED_NAME,
} from "../contract/json.ts";
import { measureJson } from "./json_size.ts";

export const MAX_DEPTH = 32;

/** Parsed JSON, and errors for the values in it that Postgres cannot store unchanged. */
export interface JsonText<Value = Json> {
  value: Value;
  fieldErrors: FieldError[];
}

export type JsonBody = JsonText<JsonObject>;

/**
 * Parses a JSON body. Field errors report duplicate and reserved keys, numbers that are too large or too small, and
 * characters that Postgres cannot store.
 *
 * @param malformed the code for a body that is not UTF-8, not JSON or not an object (spec 7)
 * @param maxValues maximum number of values in the body, including objects and lists
 * @returns null if the body is empty; or an error: `malformed`, or validation_error over `maxValues` or 32 levels
 */
export async function parseJsonBody(
  bytes: Uint8Array,
  malformed: ErrorCode,
  maxValues: number,
): Promise<JsonBody | null | ApiError> {
  const json = await parseJson(bytes, malformed, maxValues);
  if (json === null || json instanceof ApiError) return json;
  const { value, fieldErrors } = json;
  return isObject(value) ? { value, fieldErrors } : new ApiError(malformed);
}

/** Like {@link parseJsonBody}, but the body may be any JSON value. */
export async function parseJson(
  bytes: Uint8Array,
  malformed: ErrorCode,
  maxValues: number,
  maxDepth = MAX_DEPTH,
): Promise<JsonText | null | ApiError> {
  const text = decode(bytes);
  if (text === null) return new ApiError(malformed);
  if (text.trim() === "") return null;
  // Measured before parsing, because the time and memory of JSON.parse grow with the number of values.
  const size = measureJson(text, maxValues, maxDepth);
  if (size === "too deep") return tooComplex(`O corpo tem mais de ${maxDepth} níveis de objetos e listas`);
  if (size === "too many values") return tooComplex(`O corpo tem mais de ${maxValues} valores`);
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return new ApiError(malformed);
  }
  // JSON.parse drops duplicate keys, so a text with duplicate keys has more members than its value. A slower parser is
  // loaded to find the fields of duplicate keys, and of values that cannot be stored.
  if (countStorableMembers(value) === size.members) return { value, fieldErrors: [] };
  const { findUnstorable } = await import("./unstorable.ts");
  return { value, fieldErrors: findUnstorable(text) };
}

function tooComplex(message: string): ApiError {
  return new ApiError("validation_error", [{ field: "", message }]);
}

/** Shared by all bodies, because it keeps no state after decoding a whole text. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8; null if the bytes are not valid UTF-8. */
function decode(bytes: Uint8Array): string | null {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return null;
  }
}

/** The number of members of all objects in a value; NaN if a part of the value might be changed when it is stored. */
function countStorableMembers(value: Json): number {
  if (typeof value === "string") return isStorableText(value) ? 0 : NaN;
  if (typeof value === "number") return isStorableNumber(value) && Math.abs(value) < MAX_CENTS ? 0 : NaN;
  if (value === null || typeof value === "boolean") return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countStorableMembers(item);
  } else {
    for (const name of Object.keys(value)) {
      const storable = name !== RESERVED_NAME && isStorableText(name);
      members += storable ? 1 + countStorableMembers(value[name]!) : NaN;
    }
  }
  return members;
}
