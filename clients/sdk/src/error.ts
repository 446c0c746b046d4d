import type { ErrorCode, ErrorDetail } from "./types.ts";

/**
 * The codes of the API, and the SDK's own:
 *
 * - `no_answer`: no connection, or it ended before the whole reply arrived; the API may have executed the call
 * - `timeout`: no reply arrived within `timeout`; the API may have executed the call
 * - `unexpected_reply`: the reply came from the platform, a proxy or another server, not from the API
 * - `invalid_signature`, `stale_delivery`: `verifyWebhook` refuses the delivery
 */
export type CrmErrorCode =
  | ErrorCode
  | "no_answer"
  | "timeout"
  | "unexpected_reply"
  | "invalid_signature"
  | "stale_delivery";

/** The properties from which a {@link CrmError} is created. */
export interface CrmErrorInit {
  code: CrmErrorCode;
  message: string;
  status?: number | undefined;
  details?: ErrorDetail[] | undefined;
  requestId?: string | null | undefined;
  retryAfter?: number | null | undefined;
  cause?: unknown;
}

/** Thrown for a failed call and for a refused webhook delivery. For a wrong argument the SDK throws a TypeError. */
export class CrmError extends Error {
  override readonly name = "CrmError";
  /** Stable, so that code can branch on it. */
  readonly code: CrmErrorCode;
  /** The HTTP status of the reply; 0 if there was no reply. */
  readonly status: number;
  /** Every invalid field, or the records that the error is about; empty if the reply names none. */
  readonly details: ErrorDetail[];
  /** The `X-Request-Id` of the reply, by which the operator of the service finds the request. */
  readonly requestId: string | null;
  /** `Retry-After` of the reply, in seconds; null if there is none. */
  readonly retryAfter: number | null;

  /** A message from the API is in Portuguese and written for people; the SDK's own messages are in English. */
  constructor({ code, message, status, details, requestId, retryAfter, cause }: CrmErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status ?? 0;
    this.details = details ?? [];
    this.requestId = requestId ?? null;
    this.retryAfter = retryAfter ?? null;
  }
}
