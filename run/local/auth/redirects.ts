import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";

/** Where a link may lead: to the console or to this machine. Any other address is replaced by the console's. */
export function chooseRedirect(wanted: string | undefined, siteUrl: string): string {
  if (wanted === undefined || !URL.canParse(wanted)) return siteUrl;
  const [target, site] = [new URL(wanted), new URL(siteUrl)];
  if (!/^https?:$/.test(target.protocol) || target.username !== "" || target.password !== "") return siteUrl;
  return target.origin === site.origin || isLoopback(target.hostname) ? target.href : siteUrl;
}

/** Redirects with the values in the fragment, which is sent to no server. */
export function redirectWith(target: string, values: Record<string, string | number>): Response {
  // `sb` marks the fragment as Supabase's, so that its clients can tell it from a fragment of the page.
  const fragment = new URLSearchParams({ ...values as Record<string, string>, sb: "" });
  return new Response(null, { status: 303, headers: { location: `${target.split("#", 1)[0]}#${fragment}` } });
}
