/**
 * Why an attempt failed, as the application shows it: a stable snake_case reason that a person understands. Besides
 * these, a complete answer that is not 2xx is `http_<status>`.
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

/** An attempt that ended without a complete answer. */
export class AttemptFailure extends Error {
  constructor(readonly reason: FailureReason, cause?: unknown) {
    super(reason, { cause });
  }
}

/**
 * Waits for `work` until `deadline` (milliseconds of `performance.now()`), and no longer: nothing that a receiver does
 * or leaves undone may hold an attempt beyond its time. The work itself goes on; its owner closes what it holds.
 *
 * @throws AttemptFailure with `reason` when the time is up.
 */
export async function within<T>(deadline: number, reason: FailureReason, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AttemptFailure(reason)), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
