/**
 * The release of the service, which the health check returns. The API's version is in the functions' names (spec 9).
 */
export const SERVICE_VERSION = "1.0.0";

/**
 * The base URL of the functions for clients ({base_url} in the spec), for `Location` and the metadata for apps.
 * Environment: PUBLIC_URL, else SUPABASE_URL, which is an internal name inside Docker.
 */
export function functionsUrl(): string {
  return `${publicUrl() || supabaseUrl()}/functions/v1`;
}

/**
 * The base URL at which a function calls another function. Environment: SUPABASE_URL, the shorter route in Docker, else
 * PUBLIC_URL.
 */
export function internalFunctionsUrl(): string {
  return `${supabaseUrl() || publicUrl()}/functions/v1`;
}

/** Milliseconds to wait for Supabase Auth. */
export const AUTH_TIMEOUT_MS = 5_000;

/** The base URL at which functions call Supabase Auth, in the project or in the local stack. */
export function authUrl(): string {
  return `${supabaseUrl() || publicUrl()}/auth/v1`;
}

/** The address of Supabase Auth for clients: the issuer of its tokens. */
export function issuerUrl(): string {
  return `${publicUrl() || supabaseUrl()}/auth/v1`;
}

/**
 * The address of the console without a trailing slash; "" if unset. Environment: APP_ORIGIN, an origin with or without
 * a path.
 */
export function appUrl(): string {
  return withoutSlash(Deno.env.get("APP_ORIGIN"));
}

/** The origin of the console's pages, as browsers send it in `Origin`; "" if unset. */
export function appOrigin(): string {
  const url = appUrl();
  return URL.canParse(url) ? new URL(url).origin : "";
}

/**
 * The key that may invite people; "" if unset. Environment: SUPABASE_SECRET_KEYS, JSON with the project's keys by
 * name, else SUPABASE_SECRET_KEY, else SUPABASE_SERVICE_ROLE_KEY, which newer projects may have switched off.
 */
export function secretKey(): string {
  return keyOf(Deno.env.get("SUPABASE_SECRET_KEYS")) || Deno.env.get("SUPABASE_SECRET_KEY") ||
    Deno.env.get("SUPABASE_SERVICE_ROLE_KEY") || "";
}

/**
 * The key for pages and other clients; "" if unset. Environment: SUPABASE_PUBLISHABLE_KEYS, else
 * SUPABASE_PUBLISHABLE_KEY, else SUPABASE_ANON_KEY.
 */
export function publishableKey(): string {
  return keyOf(Deno.env.get("SUPABASE_PUBLISHABLE_KEYS")) || Deno.env.get("SUPABASE_PUBLISHABLE_KEY") ||
    Deno.env.get("SUPABASE_ANON_KEY") || "";
}

/** The key named `default` in a JSON object of keys, else the first key. */
function keyOf(json = ""): string {
  if (json === "") return "";
  const keys = JSON.parse(json) as Record<string, string>;
  return keys["default"] ?? Object.values(keys)[0] ?? "";
}

/** The host names of PUBLIC_URL and SUPABASE_URL, if set. */
export function serviceHosts(): string[] {
  return [publicUrl(), supabaseUrl()].filter((url) => url !== "").map((url) => new URL(url).hostname);
}

/** Whether a host name, or an address with or without brackets, means this machine. */
export function isLoopback(host: string): boolean {
  return /^(([^.]+\.)*localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}

const publicUrl = () => withoutSlash(Deno.env.get("PUBLIC_URL"));
const supabaseUrl = () => withoutSlash(Deno.env.get("SUPABASE_URL"));

function withoutSlash(url = ""): string {
  return url.replace(/\/+$/, "");
}
