import { isPublicAddress } from "./addresses.ts";

/** The configuration that `checkTarget` depends on. */
export interface TargetPolicy {
  /** `host:port` pairs that are allowed for development, over http too. */
  readonly devTargets: ReadonlySet<string>;
  /** The host name of the service: a subscription must not make the service call itself. */
  readonly ownHost?: string;
}

export type TargetCheck =
  | { ok: true; url: URL; exempt: boolean }
  /** `message` is Portuguese, for the client. */
  | { ok: false; message: string };

const LOWEST_UNPRIVILEGED_PORT = 1024;

/**
 * Name suffixes of private networks (RFC 6761, 6762, 7686, 8375, and ICANN's `.internal`). `.test`, `.example` and
 * `.invalid` are reserved too, but name nothing anywhere: they may be subscribed, and attempts fail as dns_not_found.
 */
const PRIVATE_SUFFIXES = [".local", ".internal", ".localhost", ".home.arpa", ".onion"];

/**
 * Characters that the WHATWG URL parser removes or replaces silently: the called URL would differ from the stored text.
 */
// deno-lint-ignore no-control-regex
const SILENTLY_REWRITTEN = /[\u0000-\u0020\u007f\\]/;

let environmentPolicy: TargetPolicy | undefined;

/**
 * The policy of this process: `WEBHOOK_DEV_TARGETS` (`host:port,…`) and the host of `SUPABASE_URL`.
 *
 * @throws Error when one of the variables is invalid.
 */
export function targetPolicy(): TargetPolicy {
  if (environmentPolicy === undefined) {
    const devTargets = Deno.env.get("WEBHOOK_DEV_TARGETS");
    environmentPolicy = readPolicy(devTargets, Deno.env.get("SUPABASE_URL"));
    if (devTargets) {
      console.warn(
        `WEBHOOK_DEV_TARGETS is set: webhooks may reach ${devTargets}. Never set it in production`,
      );
    }
  }
  return environmentPolicy;
}

/** Parses a policy from the values of the two variables; see {@link targetPolicy}. */
export function readPolicy(devTargets = "", serviceUrl = ""): TargetPolicy {
  const exempt = devTargets.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "");
  return {
    devTargets: new Set(exempt.map(normalizedPair)),
    ...(serviceUrl === "" ? {} : { ownHost: bareHost(new URL(serviceUrl)) }),
  };
}

/**
 * Checks a webhook target (spec 2.6): https, port 443 or from 1024, a public host, no user info, no fragment. It checks
 * the parsed URL, in which every other spelling of an address (`0x7f.1`, `2130706433`, full-width digits) is
 * normalized.
 *
 * It does not resolve the name: the dispatcher checks the resolved addresses on every attempt.
 */
export function checkTarget(text: string, policy: TargetPolicy = targetPolicy()): TargetCheck {
  if (SILENTLY_REWRITTEN.test(text) || !URL.canParse(text)) return invalid("Deve ser uma URL válida");

  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return invalid("Deve usar https");
  if (url.username !== "" || url.password !== "") return invalid("Não pode conter usuário nem senha");
  if (text.includes("#")) return invalid("Não pode conter fragmento");
  if (policy.devTargets.has(pair(url))) return { ok: true, url, exempt: true };

  if (url.protocol !== "https:") return invalid("Deve usar https");
  const port = Number(url.port || 443);
  if (port !== 443 && port < LOWEST_UNPRIVILEGED_PORT) {
    return invalid(`A porta deve ser 443 ou a partir de ${LOWEST_UNPRIVILEGED_PORT}`);
  }
  const host = bareHost(url);
  if (host === policy.ownHost || !isPublicHost(host)) return invalid("Deve ter um host público");
  return { ok: true, url, exempt: false };
}

/** The host as DNS and certificates need it: without brackets around a v6 address, without a root dot after a name. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** True if the host of a URL is an address, not a name: only v6 has colons, and only v4 has a numeric last label. */
export function isAddress(host: string): boolean {
  return host.includes(":") || /(^|\.)\d+$/.test(host);
}

function isPublicHost(host: string): boolean {
  if (isAddress(host)) return isPublicAddress(host);
  const labels = host.split(".");
  return labels.length > 1 && host.length <= 253 &&
    labels.every((label) => label.length >= 1 && label.length <= 63) &&
    !PRIVATE_SUFFIXES.some((suffix) => `.${host}`.endsWith(suffix));
}

function pair(url: URL): string {
  return `${bareHost(url)}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
}

function normalizedPair(entry: string): string {
  if (!/^(\[[0-9a-f:.]+\]|[^\s/:@?#]+):\d+$/i.test(entry) || !URL.canParse(`http://${entry}`)) {
    throw new Error(`WEBHOOK_DEV_TARGETS: "${entry}" is not host:port`);
  }
  return pair(new URL(`http://${entry}`));
}

function invalid(message: string): TargetCheck {
  return { ok: false, message };
}
