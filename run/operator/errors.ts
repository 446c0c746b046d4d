import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";

/** Codes that also exist in the API, with the same meaning. */
const SHARED = [
  "validation_error",
  "not_found",
  "invalid_reference",
  "proposal_expired",
  "proposal_closed",
] as const satisfies ErrorCode[];

/** The verbs' other codes. Endpoints return some of them too. */
const OWN = [
  "email_taken",
  "already_expired",
  /** The call names no creator for the key, and the workspace has no active admin. */
  "no_active_admin",
  "key_revoked",
  "already_signed_in",
  /** A member's change would leave the workspace without an active admin who can sign in. The operator may do this. */
  "last_admin",
  "subscription_inactive",
  "queue_full",
  "job_failed",
  /** The encryption key does not decrypt the current secret. Thrown by TypeScript, because SQL never has the key. */
  "wrong_encryption_key",
] as const;

export const OPERATOR_CODES = [...SHARED, ...OWN] as const;
export type OperatorCode = typeof OPERATOR_CODES[number];

export interface ErrorDetail {
  /** The name of the argument, or a path into it, such as `stages.0.type`. */
  field: string;
  /** What is wrong, in Portuguese; null if the code says enough. */
  message: string | null;
  /** A value that the caller does not have, such as the id of the inactive subscription of a delivery. */
  value?: string | null;
}

export class OperatorError extends Error {
  override readonly name = "OperatorError";

  /** @param call the verb and its arguments, for messages */
  constructor(
    readonly code: OperatorCode,
    readonly details: ErrorDetail[],
    readonly call: { verb: string; args: Readonly<Record<string, unknown>> },
  ) {
    const fields = details.map(({ field, message }) => `${field}: ${message}`);
    super([`${call.verb}: ${code}`, ...fields].join("; "));
  }
}

/** Whether a message from the database is the code of an OperatorError. */
export function isOperatorCode(code: string): code is OperatorCode {
  return (OPERATOR_CODES as readonly string[]).includes(code);
}
