import { isLoopback } from "../runtime/service.ts";

/** The configuration that `checkTarget` depends on. */
export interface TargetPolicy {
  /** `host:port` pairs that are allowed during development, also over http. */
  readonly devTargets: ReadonlySet<string>;
  /** Whether a host is the service itself, which a subscription must not call. */
  isOwnHost(host: string): boolean;
}

let environmentPolicy: TargetPolicy | undefined;

/**
 * The policy of this process: `WEBHOOK_DEV_TARGETS` (`host:port,…`), and the service's own addresses, `PUBLIC_URL`
 * and `SUPABASE_URL`.
 *
 * @throws Error if a variable is invalid
 */
export function targetPolicy(): TargetPolicy {
  if (environmentPolicy === undefined) {
    const devTargets = Deno.env.get("WEBHOOK_DEV_TARGETS") ?? "";
    environmentPolicy = readPolicy(
      devTargets,
      Deno.env.get("PUBLIC_URL") ?? "",
      Deno.env.get("SUPABASE_URL") ?? "",
    );
    if (devTargets !== "") {
      console.warn(
        environmentPolicy.devTargets.size > 0
          ? `WEBHOOK_DEV_TARGETS is set: webhooks may reach ${devTargets}. Never set it in production`
          : "WEBHOOK_DEV_TARGETS is ignored, because the service is not on loopback: use it only in development. " +
            "The service's address is PUBLIC_URL, or else SUPABASE_URL",
      );
    }
  }
  return environmentPolicy;
}

/**
 * Parses a policy from the values of the variables; see {@link targetPolicy}. Clients call the service at the first
 * non-empty entry of `serviceUrls`. Development targets are allowed only if this entry is on loopback: on a public host
 * they would let every key reach private addresses. Docker's SUPABASE_URL, `http://kong:8000`, does not count as
 * loopback, because public self-hosted services have it too.
 */
export function readPolicy(devTargets: string, ...serviceUrls: string[]): TargetPolicy {
  const hosts = serviceUrls.filter((url) => url !== "").map((url) => bareHost(new URL(url)));
  const projects = hosts.flatMap((host) => /^([a-z0-9-]+)\.supabase\.co$/.exec(host)?.[1] ?? []);
  return {
    devTargets: new Set(isLoopback(hosts[0] ?? "") ? normalizedPairs(devTargets) : []),
    isOwnHost(host) {
      if (hosts.includes(host)) return true;
      // A project has several names: <ref>.supabase.co, <ref>.functions.supabase.co, db.<ref>.supabase.co, and more.
      return host.endsWith(".supabase.co") && host.split(".").some((label) => projects.includes(label));
    },
  };
}

/** The host for DNS and certificates: without the brackets of a v6 address and without a root dot. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** `host:port`, with the port even if it is the scheme's default. */
export function hostAndPort(url: URL): string {
  return `${bareHost(url)}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
}

function normalizedPairs(text: string): string[] {
  return text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "").map((entry) => {
    if (!/^(\[[0-9a-f:.]+\]|[^\s/:@?#]+):\d+$/i.test(entry) || !URL.canParse(`http://${entry}`)) {
      throw new Error(`WEBHOOK_DEV_TARGETS: "${entry}" is not host:port`);
    }
    return hostAndPort(new URL(`http://${entry}`));
  });
}
