import type { ApiError } from "../contract/errors.ts";
import type { Admission } from "../postgres/door.ts";

export interface Success {
  readonly status: number;
  /** JSON text; null for a reply without a body. */
  readonly body: string | null;
  /** The id of the created record, for the log. */
  readonly createdId?: string | undefined;
  readonly headers?: Record<string, string>;
}

/** The result of a call: the caller, and an error or a reply. */
export interface Outcome {
  /** Null if no door was called, because there is no gate, or the credential is missing or malformed. */
  readonly admission: Admission | null;
  /** Whether a webhook delivery is waiting, so that the dispatcher must be woken. */
  readonly events: boolean;
  readonly result: ApiError | Success;
}

/**
 * Whether a client can cause this outcome any number of times: without a valid credential, or beyond the rate limit.
 * Such replies are paced, and the log counts them instead of listing them. A 5xx is not repeatable: the call has
 * already waited for the database, or the log must show its fault.
 */
export function isRepeatable({ admission, result }: Outcome): boolean {
  return (!admission?.admitted && result.status < 500) || result.status === 429;
}

/** The outcome of a call that sent no statement. */
export function outcomeWithoutDatabase(result: ApiError | Success): Outcome {
  return { admission: null, events: false, result };
}
