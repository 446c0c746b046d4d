import type { ApiError } from "../contract/errors.ts";
import type { Admission } from "../postgres/door.ts";

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
