import type { ErrorCode } from "../supabase/functions/_shared/contract/errors.ts";

/** The codes of the API that verbs raise too, with the same meaning. */
const SHARED = [
  "validation_error",
  "not_found",
  "invalid_reference",
  "proposal_expired",
  "proposal_closed",
] as const satisfies ErrorCode[];

/** The operator's own: no endpoint of the API answers with them. */
const OWN = [
  /** The workspace already has a member with that e-mail. */
  "email_taken",
  /** No member was named to be a key's creator, and the workspace has no active admin. */
  "no_active_admin",
  /** The subscription takes no deliveries until it is reactivated. */
  "subscription_inactive",
  "job_failed",
  /** Raised here, not in SQL: the encryption key does not open the present secret. */
  "wrong_encryption_key",
] as const;

/** Every code of an OperatorError. */
export const OPERATOR_CODES = [...SHARED, ...OWN] as const;
export type OperatorCode = typeof OPERATOR_CODES[number];

/** One argument at fault. */
export interface ErrorDetail {
  /** The argument's name; of an element with its path, such as `stages.0.type`. */
  field: string;
  /** Portuguese; null where the code says enough. */
  message: string | null;
  /** What the caller could not know, such as the id of the inactive subscription that a delivery belongs to. */
  value?: string | null;
}

/** Why a verb refused its call. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";

  /**
   * @param call the verb and its arguments, so that the error can be put into words
   */
  constructor(
    readonly code: OperatorCode,
    readonly details: ErrorDetail[],
    readonly call: { verb: string; args: Readonly<Record<string, unknown>> },
  ) {
    super(`${call.verb}: ${code}`);
  }
}

/** Whether a text from the database is the code of an OperatorError. */
export function isOperatorCode(code: string): code is OperatorCode {
  return (OPERATOR_CODES as readonly string[]).includes(code);
}
