import { CrmError } from "./error.ts";
import type { ErrorCode, ErrorDetail } from "./types.ts";

/** The HTTP reply from which a returned object was parsed. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The `X-Request-Id`, by which the operator of the service finds the request. */
  readonly requestId: string | null;
  /** The version of the record, for `ifMatch` and `ifNoneMatch`; null if the reply names none. */
  readonly etag: string | null;
  /**
   * Fields of the body that the API ignored: unknown (perhaps misspelt), read-only, or sent with `win` or `lose` for a
   * deal that was closed already.
   */
  readonly ignoredFields: string[];
}

// Kept in a WeakMap, so that an object has exactly the fields of the reply's JSON.
const replies = new WeakMap<object, Reply>();

/** Returns the HTTP reply from which this object was parsed; undefined for an object that no call returned. */
export function replyOf(object: object): Reply | undefined {
  return replies.get(object);
}

/** Returns the ETag of a record that a call returned. A string is taken to be an ETag, and returned unchanged. */
export function etagOf(version: string | object): string {
  const etag = typeof version === "string" ? version : replyOf(version)?.etag;
  if (!etag) {
    throw new TypeError("ifMatch and ifNoneMatch take an ETag, or a record that get or update returned");
  }
  return etag;
}

/**
 * Returns the result of a call: the parsed body, null for 304, undefined for 204.
 *
 * @throws CrmError for a status outside 2xx, and for a body that is not a JSON object
 */
export async function readReply(response: Response): Promise<unknown> {
  const { status, headers } = response;
  const text = await response.text();
  if (status === 304) return null;
  if (status === 204) return undefined;
  const body = parse(text);
  if (status < 200 || status > 299 || body === null) throw errorOf(response, body, text);
  replies.set(body, {
    status,
    headers,
    requestId: headers.get("X-Request-Id"),
    etag: headers.get("ETag"),
    ignoredFields: (headers.get("X-Ignored-Fields") ?? "").split(", ").filter(Boolean).map(
      decodeURIComponent,
    ),
  });
  return body;
}

interface ErrorBody {
  error?: { code?: ErrorCode; message?: string; details?: ErrorDetail[] };
}

function parse(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text);
    return typeof body === "object" ? body : null;
  } catch {
    return null;
  }
}

function errorOf({ status, headers }: Response, body: ErrorBody | null, text: string): CrmError {
  const retryAfter = headers.get("Retry-After");
  const common = {
    status,
    requestId: headers.get("X-Request-Id"),
    retryAfter: retryAfter === null || Number.isNaN(Number(retryAfter)) ? null : Number(retryAfter),
  };
  const { code, message, details } = body?.error ?? {};
  return typeof code === "string"
    ? new CrmError({ ...common, code, message: message ?? code, details })
    : new CrmError({
      ...common,
      code: "unexpected_reply",
      message: `Status ${status}, not a reply from the API: ${text.slice(0, 200)}`,
    });
}
