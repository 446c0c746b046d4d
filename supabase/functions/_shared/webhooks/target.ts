import { isPublicAddress } from "./addresses.ts";
import { bareHost, hostAndPort, type TargetPolicy, targetPolicy } from "./target_policy.ts";

export type TargetCheck =
  | { ok: true; url: URL; exempt: boolean }
  /** `message` is Portuguese, for the client. */
  | { ok: false; message: string };

const LOWEST_UNPRIVILEGED_PORT = 1024;

/**
 * Suffixes of names in private networks (RFC 6761, 6762, 7686, 8375, and ICANN's `.internal`). The reserved `.test`,
 * `.example` and `.invalid` are left out: no network has such names, so attempts to reach them fail as dns_not_found.
 */
const PRIVATE_SUFFIXES = [".local", ".internal", ".localhost", ".home.arpa", ".onion"];

/**
 * Suffixes that private networks use although nobody reserved them: appendix G of RFC 6762, Kubernetes and routers. The
 * public DNS has no such names, but a resolver in the service's network may have them.
 */
const INTERNAL_SUFFIXES = [".intranet", ".private", ".corp", ".home", ".lan", ".svc", ".localdomain"];

/** Characters that the URL parser silently removes or replaces: the called URL would differ from the stored one. */
// deno-lint-ignore no-control-regex
const SILENTLY_REWRITTEN = /[\u0000-\u0020\u007f\\]/;

/**
 * Checks a webhook target (spec 2.6): https, port 443 or from 1024, a public host, no user info, no fragment. It checks
 * the parsed URL, in which other spellings of an address (`0x7f.1`, `2130706433`, full-width digits) are normalized. It
 * does not resolve the name, because the dispatcher checks the resolved addresses at every attempt.
 */
export function checkTarget(text: string, policy: TargetPolicy = targetPolicy()): TargetCheck {
  if (SILENTLY_REWRITTEN.test(text) || !URL.canParse(text)) return invalid("Deve ser uma URL válida");

  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return invalid("Deve usar https");
  if (url.username !== "" || url.password !== "") return invalid("Não pode conter usuário nem senha");
  if (text.includes("#")) return invalid("Não pode conter fragmento");
  if (policy.devTargets.has(hostAndPort(url))) return { ok: true, url, exempt: true };

  if (url.protocol !== "https:") return invalid("Deve usar https");
  const port = Number(url.port || 443);
  if (port !== 443 && port < LOWEST_UNPRIVILEGED_PORT) {
    return invalid(`A porta deve ser 443 ou a partir de ${LOWEST_UNPRIVILEGED_PORT}`);
  }
  const host = bareHost(url);
  if (policy.isOwnHost(host) || !isPublicHost(host)) return invalid("Deve ter um host público");
  return { ok: true, url, exempt: false };
}

/** Whether a URL's host is an address: only v6 has colons, and only v4 has a numeric last label. */
export function isAddress(host: string): boolean {
  return host.includes(":") || /(^|\.)\d+$/.test(host);
}

function isPublicHost(host: string): boolean {
  if (isAddress(host)) return isPublicAddress(host);
  const labels = host.split(".");
  return labels.length > 1 && host.length <= 253 &&
    labels.every((label) => label.length >= 1 && label.length <= 63) &&
    ![...PRIVATE_SUFFIXES, ...INTERNAL_SUFFIXES].some((suffix) => `.${host}`.endsWith(suffix));
}

function invalid(message: string): TargetCheck {
  return { ok: false, message };
}
