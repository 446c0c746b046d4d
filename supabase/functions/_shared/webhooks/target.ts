import { isPublicAddress } from "./addresses.ts";

/** What the judgement depends on besides the URL. */
export interface TargetPolicy {
  /** `host:port` pairs that are let through, over http as well, for development. */
  readonly devTargets: ReadonlySet<string>;
  /** The service's own host name: a subscription must not make the service call itself. */
  readonly ownHost?: string;
}

export type TargetJudgement =
  | { ok: true; url: URL; exempt: boolean }
  /** `message` is Portuguese, for the client. */
  | { ok: false; message: string };

const LOWEST_UNPRIVILEGED_PORT = 1024;

/** Names that are never on the public internet (RFC 6761, 6762, 7686, 8375, and ICANN's `.internal`). */
const PRIVATE_SUFFIXES = [".local", ".internal", ".localhost", ".home.arpa", ".onion", ".test"];

/** WHATWG URLs drop these silently, so that the stored text and the called URL would differ. */
// deno-lint-ignore no-control-regex
const SILENTLY_REWRITTEN = /[\u0000-\u0020\u007f\\]/;

let environmentPolicy: TargetPolicy | undefined;

/**
 * The policy of this process: `WEBHOOK_DEV_TARGETS` (`host:port,…`) and the host of `SUPABASE_URL`.
 *
 * @throws Error when either variable cannot be read as such.
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

/** See {@link targetPolicy}; the two arguments are the variables' texts. */
export function readPolicy(devTargets = "", serviceUrl = ""): TargetPolicy {
  const exempt = devTargets.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "");
  return {
    devTargets: new Set(exempt.map(normalizedPair)),
    ...(serviceUrl === "" ? {} : { ownHost: bareHost(new URL(serviceUrl)) }),
  };
}

/**
 * Judges a webhook target (spec 2.6; design: targets): https, port 443 or from 1024, a public host, no user info, no
 * fragment. It looks at the parsed URL, never at the raw text, so that other spellings of an
 * address (`0x7f.1`, `2130706433`, full-width digits) are seen as what they are.
 *
 * It does not resolve the name: the dispatcher judges the resolved addresses at every attempt.
 */
export function judgeTarget(text: string, policy: TargetPolicy = targetPolicy()): TargetJudgement {
  if (SILENTLY_REWRITTEN.test(text) || !URL.canParse(text)) return refuse("Deve ser uma URL válida");

  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse("Deve usar https");
  if (url.username !== "" || url.password !== "") return refuse("Não pode conter usuário nem senha");
  if (text.includes("#")) return refuse("Não pode conter fragmento");
  if (policy.devTargets.has(pair(url))) return { ok: true, url, exempt: true };

  if (url.protocol !== "https:") return refuse("Deve usar https");
  const port = Number(url.port || 443);
  if (port !== 443 && port < LOWEST_UNPRIVILEGED_PORT) {
    return refuse(`A porta deve ser 443 ou a partir de ${LOWEST_UNPRIVILEGED_PORT}`);
  }
  const host = bareHost(url);
  if (host === policy.ownHost || !isPublicHost(host)) return refuse("Deve ter um host público");
  return { ok: true, url, exempt: false };
}

/** The host as it is resolved and certified: no brackets around a v6 address, no root dot after a name. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** True when the host of a URL is an address rather than a name (only v6 has colons, only v4 ends in a digit label). */
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

function refuse(message: string): TargetJudgement {
  return { ok: false, message };
}
