import type { Doc } from "../../supabase/functions/_shared/contract/doc.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { APPLICATION_ERROR_TEXTS } from "./application.ts";
import { CALL_ERROR_TEXTS } from "./calls.ts";
import { RECORD_ERROR_TEXTS } from "./records.ts";

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
 * When the same call may succeed: after the seconds of `Retry-After`, or after a wait that doubles with each try.
 * `three_times`, for internal errors: like `doubling`, at most three times.
 */
export type Repetition = "retry_after" | "doubling" | "three_times";

/** The texts about every error. A code without texts does not compile. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  ...CALL_ERROR_TEXTS,
  ...RECORD_ERROR_TEXTS,
  ...APPLICATION_ERROR_TEXTS,
};
