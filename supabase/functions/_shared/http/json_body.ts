import { type JSONVisitor, visit } from "jsonc-parser";
import { ApiError, type ErrorCode, type FieldError } from "../contract/errors.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Number of bytes of a larger body that are read and discarded before reading stops. */
const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES;
/** Maximum depth of nested objects and arrays. */
export const MAX_DEPTH = 32;
/** Maximum of invalid fields in one reply. */
export const MAX_DETAILS = 100;

/** A body, and the errors of values in it that Postgres would store differently from what was sent. */
export interface JsonBody {
  value: Record<string, Json>;
  fieldErrors: FieldError[];
}

/**
 * Reads a JSON body. Its field errors are duplicate keys, numbers that a double cannot represent, and characters that
 * Postgres cannot store.
 *
 * @param malformed the code for a body that is not UTF-8, not JSON or not an object (spec 7)
 * @returns null when the body is empty; or an error: payload_too_large over 1 MiB, `malformed`, or validation_error
 *  over 32 levels
 */
export async function readJsonBody(
  request: Request,
  malformed: ErrorCode,
): Promise<JsonBody | null | ApiError> {
  const bytes = await readBytes(request, malformed);
  if (bytes instanceof ApiError) return bytes;
  const text = decode(bytes);
  if (text === null) return new ApiError(malformed);
  if (text.trim() === "") return null;
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return new ApiError(malformed);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) return new ApiError(malformed);
  const fieldErrors = findUnstorable(text);
  return fieldErrors instanceof ApiError ? fieldErrors : { value, fieldErrors };
}

/** Whether Postgres can store this text unchanged: it accepts no NUL, and UTF-8 cannot encode unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/**
 * Whether a double represents the number exactly, and Postgres, which stores every digit, does not need hundreds of
 * them.
 */
function isStorableNumber(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude === 0 || (1e-15 <= magnitude && magnitude <= Number.MAX_SAFE_INTEGER);
}

async function readBytes(request: Request, malformed: ErrorCode): Promise<ArrayBuffer | ApiError> {
  const chunks: BlobPart[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      // Discards instead of stopping at once: a client whose connection closes while it sends never reads the reply.
      if (length > MAX_DISCARDED_BYTES) break;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    // The client closed the connection before the end of the body.
    return new ApiError(malformed);
  }
  if (length > MAX_BODY_BYTES) return new ApiError("payload_too_large");
  return new Blob(chunks).arrayBuffer();
}

/** Returns null if the bytes are not UTF-8. */
function decode(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

class TooDeep extends Error {}

/** Finds the values that JSON.parse accepts but Postgres cannot store unchanged. `text` must be valid JSON. */
function findUnstorable(text: string): FieldError[] | ApiError {
  const details: FieldError[] = [];
  const keys: Set<string>[] = [];
  let depth = 0;
  const report = (path: (string | number)[], message: string) => {
    if (details.length < MAX_DETAILS) details.push({ field: path.join("."), message });
  };
  const enter = () => {
    // An exception stops the recursive parser, so that a body with a million brackets does not overflow the stack.
    if (++depth > MAX_DEPTH) throw new TooDeep();
  };
  const leave = () => {
    depth--;
  };
  const visitor: JSONVisitor = {
    onObjectBegin: () => {
      enter();
      keys.push(new Set());
    },
    onObjectEnd: () => {
      leave();
      keys.pop();
    },
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectProperty: (name, _offset, _length, _line, _column, path) => {
      const seen = keys.at(-1)!;
      if (seen.has(name)) report([...path(), name], "Campo repetido no corpo");
      if (!isStorableText(name)) {
        report([...path(), name.toWellFormed()], "O nome do campo tem um caractere inválido");
      }
      // Many libraries silently drop this key when they copy an object.
      if (name === "__proto__") report([...path(), name], "Nome de campo reservado");
      seen.add(name);
    },
    onLiteralValue: (value, _offset, _length, _line, _column, path) => {
      if (typeof value === "string" && !isStorableText(value)) {
        report(path(), "O texto tem um caractere inválido (NUL ou surrogate sem par)");
      } else if (typeof value === "number" && !isStorableNumber(value)) {
        report(path(), "Número grande ou pequeno demais");
      }
    },
  };
  try {
    visit(text, visitor);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return new ApiError("validation_error", [
      { field: "", message: `O corpo tem mais de ${MAX_DEPTH} níveis de objetos e listas` },
    ]);
  }
  return details;
}
