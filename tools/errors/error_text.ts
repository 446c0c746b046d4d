import type { Doc } from "../../supabase/functions/_shared/contract/doc.ts";

/**
 * What the documents say about an error, besides its message. These texts are separate from the error's status and
 * message, because no function needs them to answer.
 */
export interface ErrorText {
  /** When it is returned: for the errors page, and the English OpenAPI document. */
  readonly when: Doc;
  /** What a client should do. */
  readonly remedy: Doc;
  /** Absent if repeating the call cannot help. */
  readonly repeat?: Repetition;
}

/**
 * When the same call may succeed: after the seconds of `Retry-After`, after one second, or after a wait that doubles
 * each time. `three_times`, for internal errors: like `doubling`, at most three times.
 */
export type Repetition = "retry_after" | "second" | "doubling" | "three_times";
