import type { ErrorCode, ErrorDetail } from "./types.ts";

/**
 * The codes of the API, and of the SDK itself:
 *
 * - `no_answer`: no connection, or it ended before the reply did; the call may have been carried out
 * - `timeout`: no reply within `timeout`; the call may have been carried out
 * - `unexpected_reply`: a reply that is not of the API, but of the platform, a proxy or another address
 * - `invalid_signature`, `stale_delivery`: `verifyWebhook` refuses the delivery
 */
export type CrmErrorCode =
  | ErrorCode
  | "no_answer"
  | "timeout"
  | "unexpected_reply"
  | "invalid_signature"
  | "stale_delivery";

/** What a {@link CrmError} is made of. */
export interface CrmErrorInit {
  code: CrmErrorCode;
  message: string;
  status?: number | undefined;
  details?: ErrorDetail[] | undefined;
  requestId?: string | null | undefined;
  retryAfter?: number | null | undefined;
  cause?: unknown;
}

/** The only error that the SDK throws for what happens at run time. A wrong argument is a TypeError. */
export class CrmError extends Error {
  override readonly name = "CrmError";
  /** Stable, and what to decide by. */
  readonly code: CrmErrorCode;
  /** The status of the reply; 0 where there was none. */
  readonly status: number;
  /** Every invalid field, or the records in question; empty where the reply names none. */
  readonly details: ErrorDetail[];
  /** The `X-Request-Id` of the reply, for whoever runs the service. */
  readonly requestId: string | null;
  /** The seconds for which the reply asks to wait. */
  readonly retryAfter: number | null;

  /** The message is in Portuguese where the API wrote it, for people. */
  constructor({ code, message, status, details, requestId, retryAfter, cause }: CrmErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status ?? 0;
    this.details = details ?? [];
    this.requestId = requestId ?? null;
    this.retryAfter = retryAfter ?? null;
  }
}
