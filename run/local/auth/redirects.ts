import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";
import type { AuthError } from "./errors.ts";

/** The `error` of OAuth 2 that GoTrue names for a status. */
const OAUTH_ERRORS: Readonly<Record<number, string>> = { 400: "invalid_request", 403: "access_denied" };

/** Where a link may lead: to the console, or to this machine. Anything else leads to the console, as in GoTrue. */
export function chooseRedirect(wanted: string | null, siteUrl: string): string {
  if (wanted === null || !URL.canParse(wanted)) return siteUrl;
  const [target, site] = [new URL(wanted), new URL(siteUrl)];
  if (!/^https?:$/.test(target.protocol) || target.username !== "" || target.password !== "") return siteUrl;
  return target.origin === site.origin || isLoopback(target.hostname) ? target.href : siteUrl;
}

/** The address with the values in its fragment, which no server sees. */
export function redirectWith(target: string, values: Record<string, string | number>): Response {
  const fragment = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
  // Supabase's own mark: clients tell by it that the fragment is not the page's.
  fragment.set("sb", "");
  return new Response(null, { status: 303, headers: { location: `${target.split("#", 1)[0]}#${fragment}` } });
}

/** The address with an error in its fragment, in the form of OAuth 2. */
export function redirectWithError(target: string, { status, code, message }: AuthError): Response {
  return redirectWith(target, {
    error: OAUTH_ERRORS[status] ?? "server_error",
    error_code: code,
    error_description: message,
  });
}
