/**
 * Why an attempt got no complete answer: a stable code, which the application shows. For an answer other than 2xx the
 * reason is `http_<status>`.
 */
export type FailureReason =
  | "target_refused"
  | "body_too_large"
  | "dns_not_found"
  | "dns_failed"
  | "timeout_dns"
  | "connection_refused"
  | "host_unreachable"
  | "connect_failed"
  | "timeout_connect"
  | "tls_name_mismatch"
  | "tls_unknown_authority"
  | "tls_certificate_expired"
  | "tls_certificate_not_yet_valid"
  | "tls_failed"
  | "timeout_tls"
  | "connection_reset"
  | "connection_closed"
  | "invalid_http_response"
  | "response_headers_too_large"
  | "timeout_response";

/** The reasons of attempts that sent the request, or some of it. */
const AFTER_SENDING: ReadonlySet<string> = new Set<FailureReason>([
  "connection_reset",
  "connection_closed",
  "invalid_http_response",
  "response_headers_too_large",
  "timeout_response",
]);

/** Whether an attempt with this outcome sent its request. */
export function wasSent({ status, reason }: { status?: number; reason?: string }): boolean {
  return status !== undefined || reason !== undefined && AFTER_SENDING.has(reason);
}

/** An attempt that ended without a complete answer. */
export class AttemptFailure extends Error {
  constructor(readonly reason: FailureReason, cause?: unknown) {
    super(reason, { cause });
  }
}

/** The receiver ended the connection before any byte of an answer arrived. */
export class Unanswered extends AttemptFailure {}

/**
 * Waits for `work` until `deadline` (milliseconds of `performance.now()`), so that no receiver can prolong an attempt.
 * After the deadline the caller must cancel the work by closing the connection.
 *
 * @throws {AttemptFailure} with `reason` after the deadline
 */
export async function awaitUntil<T>(deadline: number, reason: FailureReason, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AttemptFailure(reason)), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
