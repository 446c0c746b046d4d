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
  /** The workspace already has a member with that e-mail. */
  "email_taken",
  /** The key would already have expired. */
  "already_expired",
  /** The call names no creator for the key, and the workspace has no active admin. */
  "no_active_admin",
  /** The key is revoked or has expired, so it gets no other secret. */
  "key_revoked",
  /** The member has signed in and needs no invitation. */
  "already_signed_in",
  /** The change would leave the workspace without an active admin. The operator may do that; members get this code. */
  "last_admin",
  /** The subscription gets deliveries only after it is reactivated. */
  "subscription_inactive",
  /** The subscription already has the maximum number of waiting deliveries. */
  "queue_full",
  "job_failed",
  /** The encryption key does not decrypt the current secret. Thrown by TypeScript, because SQL never has the key. */
  "wrong_encryption_key",
] as const;

/** Every code of an OperatorError. */
export const OPERATOR_CODES = [...SHARED, ...OWN] as const;
export type OperatorCode = typeof OPERATOR_CODES[number];

/** What is wrong with one argument. */
export interface ErrorDetail {
  /** The name of the argument, or a path into it, such as `stages.0.type`. */
  field: string;
  /** What is wrong, in Portuguese; null if the code says enough. */
  message: string | null;
  /** A value that the caller does not know, such as the id of a delivery's inactive subscription. */
  value?: string | null;
}

/** The error of a verb in schema app. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";

  /**
   * @param call the verb and its arguments, for messages
   */
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
