import type { FailureReason } from "../../../supabase/functions/webhook-dispatcher/failure.ts";
import type { Attempt } from "./records.ts";

/** What an integrator should check after a failed attempt. The value is part of the name of a text in strings/. */
export type Advice = "redirect" | "refused" | "missing" | "server" | "slow" | "certificate" | "name";

const BY_REASON: Partial<Record<FailureReason, Advice>> = {
  timeout_response: "slow",
  tls_name_mismatch: "certificate",
  tls_unknown_authority: "certificate",
  tls_certificate_expired: "certificate",
  tls_certificate_not_yet_valid: "certificate",
  dns_not_found: "name",
  dns_failed: "name",
};

export function adviceFor({ status, reason }: Pick<Attempt, "status" | "reason">): Advice | null {
  if (reason === null) return null;
  if (status === null) return BY_REASON[reason as FailureReason] ?? null;
  if (status >= 300 && status <= 399) return "redirect";
  if (status === 401 || status === 403) return "refused";
  if (status === 404 || status === 410) return "missing";
  return status >= 500 ? "server" : null;
}
