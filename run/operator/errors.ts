import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";

/** Codes that the API has too, with the same meaning. */
const SHARED = [
  "validation_error",
  "not_found",
  "invalid_reference",
  "proposal_expired",
  "proposal_closed",
] as const satisfies ErrorCode[];

/** Codes of the operator alone: no endpoint of the API answers with them. */
const OWN = [
  /** The workspace already has a member with that e-mail. */
  "email_taken",
  /** The moment at which the key would expire has passed, so the key could never be used. */
  "already_expired",
  /** The call names no member as the key's creator, and the workspace has no active admin. */
  "no_active_admin",
  /** The key is revoked or has expired, so it cannot have another secret. */
  "key_revoked",
  /** The member who would be invited again has signed in. */
  "already_signed_in",
  /** A member would leave the workspace without an active admin. The operator may. */
  "last_admin",
  /** The subscription gets no deliveries until it is reactivated. */
  "subscription_inactive",
  /** As many deliveries wait for the subscription as may. */
  "queue_full",
  "job_failed",
  /** The encryption key does not decrypt the present secret. Raised here, because SQL never has the key. */
  "wrong_encryption_key",
] as const;

/** Every code of an OperatorError. */
export const OPERATOR_CODES = [...SHARED, ...OWN] as const;
export type OperatorCode = typeof OPERATOR_CODES[number];

/** One argument at fault. */
export interface ErrorDetail {
  /** The argument's name, or the path of an element in it, such as `stages.0.type`. */
  field: string;
  /** Portuguese; null if the code is enough. */
  message: string | null;
  /** A value that the caller does not have, such as the id of the inactive subscription that a delivery belongs to. */
  value?: string | null;
}

/** The error of a verb of schema app. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";

  /**
   * @param call the verb and its arguments, from which a caller can write a message
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
