import type { Endpoint, GateName } from "../contract/endpoint.ts";
import type { ApiError } from "../contract/errors.ts";
import type { Admission } from "../postgres/door.ts";

/** A request on its way through, with what routing found. */
export interface Call {
  /** Shown in X-Request-Id, and by which the log finds it. */
  readonly id: string;
  /** `performance.now()` when it came in. */
  readonly started: number;
  readonly request: Request;
  /** `HEAD` for a HEAD, although GET's endpoint answers it. */
  readonly method: string;
  /** Name of the function. */
  readonly resource: string;
  readonly gate: GateName;
  /** What the path names. */
  readonly params: { readonly id?: string | undefined; readonly token?: string | undefined };
  /** The endpoint; else the error of an address or a method that is not there. */
  readonly target: Endpoint | ApiError;
}

/** A body that is no error, and its status. */
export interface Success {
  readonly status: number;
  /** JSON text; null where there is none. */
  readonly body: string | null;
  readonly headers?: Record<string, string>;
}

/** What a call came to: who was admitted, and an error or a body. */
export interface Outcome {
  /** Null where the gate let nobody in, or asks for nothing. */
  readonly admission: Admission | null;
  /** Whether a webhook delivery waits. */
  readonly events: boolean;
  readonly result: ApiError | Success;
}

/** The outcome of a call that the database was not asked about. */
export function unasked(result: ApiError | Success): Outcome {
  return { admission: null, events: false, result };
}
