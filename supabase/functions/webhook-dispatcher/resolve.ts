import { isPublicAddress } from "../_shared/webhooks/addresses.ts";
import { isAddress } from "../_shared/webhooks/target.ts";
import { bareHost } from "../_shared/webhooks/target_policy.ts";
import { AttemptFailure, awaitUntil } from "./failure.ts";

/** Returns all addresses of a name, v4 first; none if the name does not exist. */
export type Resolver = (name: string) => Promise<string[]>;

const RESOLVE_MS = 3_000;

/**
 * Returns the addresses to which an attempt may connect. If one address is not public, the target is refused, because a
 * name with both public and private addresses is an attack.
 *
 * @throws {AttemptFailure} `target_refused`, `dns_not_found`, `dns_failed` or `timeout_dns` (after 3 s)
 */
export async function publicAddresses(url: URL, resolve: Resolver): Promise<string[]> {
  const host = bareHost(url);
  const addresses = isAddress(host) ? [host] : await lookUp(host, resolve);
  if (addresses.length === 0) throw new AttemptFailure("dns_not_found");
  if (!addresses.every(isPublicAddress)) throw new AttemptFailure("target_refused");
  return addresses;
}

async function lookUp(name: string, resolve: Resolver): Promise<string[]> {
  try {
    return await awaitUntil(performance.now() + RESOLVE_MS, "timeout_dns", resolve(name));
  } catch (error) {
    throw error instanceof AttemptFailure ? error : new AttemptFailure("dns_failed", error);
  }
}

/** Resolves a name with the DNS servers of this machine. */
export const resolveByDns: Resolver = async (name) => {
  const signal = AbortSignal.timeout(RESOLVE_MS);
  // The root dot disables search domains: `api.example` must not become `api.example.cluster.local`.
  const query = async (type: "A" | "AAAA") => {
    try {
      return await Deno.resolveDns(`${name}.`, type, { signal });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  };
  const [v4, v6] = await Promise.all([query("A"), query("AAAA")]);
  return [...v4, ...v6];
};
