/**
 * The request header that has the caller's address. Environment: CLIENT_ADDRESS_HEADER; by default the header that
 * Cloudflare, in front of Supabase, overwrites in every request. Clients can forge any other header; on Supabase they
 * can also forge the first entries of X-Forwarded-For.
 */
const HEADER = Deno.env.get("CLIENT_ADDRESS_HEADER") || "CF-Connecting-IP";

/**
 * The address of the caller: the last entry of the header, because the nearest proxy writes the last entry. Null if the
 * header is absent.
 */
export function clientAddress(headers: Headers): string | null {
  const entries = headers.get(HEADER);
  return entries && (entries.slice(entries.lastIndexOf(",") + 1).trim() || null);
}

/** The header with the caller's address, for a function that calls another function in the same process. */
export function addressHeader(address: string | null): Record<string, string> {
  return address === null ? {} : { [HEADER]: address };
}
