import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";

/** Where a link may lead: to the console or to this machine. Any other address is replaced by the console's. */
export function chooseRedirect(wanted: string | undefined, siteUrl: string): string {
  return isTrusted(wanted, siteUrl) ? new URL(wanted!).href : siteUrl;
}

/** Whether an address is the console's, or on this machine. */
export function isTrusted(address: string | undefined, siteUrl: string): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { protocol, username, password, origin, hostname } = new URL(address);
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "") return false;
  return origin === new URL(siteUrl).origin || isLoopback(hostname);
}

/** Redirects with the values in the fragment, which browsers send to no server. */
export function redirectWith(target: string, values: Record<string, string | number>): Response {
  // `sb` marks the fragment as Supabase's. Supabase's clients ignore fragments without it, which belong to the page.
  const fragment = new URLSearchParams({ ...values as Record<string, string>, sb: "" });
  return new Response(null, { status: 303, headers: { location: `${target.split("#", 1)[0]}#${fragment}` } });
}

/** Adds values to the query of an app's redirect address: in OAuth the app gets its code or an error there. */
export function withQuery(address: string, values: Record<string, string | null>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(values)) if (value) url.searchParams.set(name, value);
  return url.href;
}
