import type { GateName, PathParams } from "../contract/declaration.ts";
import type { ApiError } from "../contract/errors.ts";
import type { RouteEntry } from "../contract/route_table.ts";
import type { Admission } from "../postgres/door.ts";
import type { Gate } from "./gates.ts";

/** A request with the result of its routing. */
export interface Call {
  /** The value of X-Request-Id, which is in the log too. */
  readonly id: string;
  /** `performance.now()` at the start of the request. */
  readonly started: number;
  readonly request: Request;
  /** `HEAD` for a HEAD request, although the endpoint of GET handles it. */
  readonly method: string;
  /** Name of the function. */
  readonly resource: string;
  readonly gateName: GateName;
  /** Null: no credential is required. */
  readonly gate: Gate | null;
  /** Parameters of the path. */
  readonly params: PathParams & { readonly token?: string | undefined };
  /** The endpoint, or the error for an unknown path or method. */
  readonly target: RouteEntry | ApiError;
}

/** The status, body and headers of a successful reply. */
export interface Success {
  readonly status: number;
  /** JSON text; null for a reply without a body. */
  readonly body: string | null;
  /** The id of the record that was created, for the log. */
  readonly createdId?: string | undefined;
  readonly headers?: Record<string, string>;
}

/** The result of a call: the identified caller, and an error or a body. */
export interface Outcome {
  /** Null if no door was called (no gate, or a malformed credential), or the database is unavailable. */
  readonly admission: Admission | null;
  /** Whether a webhook delivery is waiting, so that the dispatcher must be woken. */
  readonly events: boolean;
  readonly result: ApiError | Success;
}

/**
 * Whether anybody can cause this outcome in any number: without a valid credential, or beyond a rate limit. Such replies
 * are paced and counted in the log. A 5xx is neither: it has waited for the database, or is a fault to look for.
 */
export function isRepeatable({ admission, result }: Outcome): boolean {
  return (!admission?.admitted && result.status < 500) || result.status === 429;
}

/** Creates the outcome of a call that made no query. */
export function outcomeWithoutDatabase(result: ApiError | Success): Outcome {
  return { admission: null, events: false, result };
}
