import { type JSONVisitor, visit } from "jsonc-parser";
import { ApiError, type ErrorCode, type FieldError } from "../contract/errors.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Bytes of a request body at most. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Bytes of a larger body that are read before the connection is given up. */
const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES;
/** Objects and arrays within each other at most. */
export const MAX_DEPTH = 32;
/** Fields at fault that one reply names at most. */
const MAX_DETAILS = 100;

/** A body, and what in it would be stored as something else than was sent. */
export interface JsonBody {
  value: Record<string, Json>;
  faults: FieldError[];
}

/**
 * Reads a body as JSON text says it. Faults are duplicate keys, numbers that a double cannot hold, and characters that
 * Postgres has no text for.
 *
 * @param malformed the code of a body that is missing, not UTF-8, no JSON or no object (spec 7)
 * @returns null when the body is empty
 *  or an error: payload_too_large over 1 MiB; `malformed`; validation_error over 32 levels
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
  const faults = inspect(text);
  return faults instanceof ApiError ? faults : { value, faults };
}

/** Whether Postgres can store this text as it is: it has no NUL, and UTF-8 has no unpaired surrogates. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Whether a double holds a number as it was sent, and Postgres, which writes out every digit, not as hundreds. */
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
      // Read and dropped for a while: a client that is cut off in the middle of sending never sees the reply.
      if (length > MAX_DISCARDED_BYTES) break;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    // The client left in the middle of its body.
    return new ApiError(malformed);
  }
  if (length > MAX_BODY_BYTES) return new ApiError("payload_too_large");
  return new Blob(chunks).arrayBuffer();
}

/** Null where the bytes are not UTF-8. */
function decode(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

class TooDeep extends Error {}

/** Finds what JSON.parse accepts and storing would change; validation_error over 32 levels. The text must be JSON. */
function inspect(text: string): FieldError[] | ApiError {
  const details: FieldError[] = [];
  const keys: Set<string>[] = [];
  let depth = 0;
  const report = (path: (string | number)[], message: string) => {
    if (details.length < MAX_DETAILS) details.push({ field: path.join("."), message });
  };
  const enter = () => {
    // Thrown, for the parser recurses: a body of nothing but brackets must not exhaust the stack.
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
      // Libraries that copy objects drop this one in silence.
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
