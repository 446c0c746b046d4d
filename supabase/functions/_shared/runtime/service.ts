/**
 * The release of the service, which the health check returns. The version of the API is in the function names (spec 9).
 */
export const SERVICE_VERSION = "1.0.0";

/**
 * The base URL of every function as clients reach it, for `Location` and links: {base_url} of the spec. Environment:
 * PUBLIC_URL, else SUPABASE_URL, which inside Docker is an internal name.
 */
export function functionsUrl(): string {
  return `${publicUrl() || supabaseUrl()}/functions/v1`;
}

/**
 * The base URL by which one function calls another. Environment: SUPABASE_URL, which is the shorter way inside Docker,
 * else PUBLIC_URL.
 */
export function internalFunctionsUrl(): string {
  return `${supabaseUrl() || publicUrl()}/functions/v1`;
}

/** Milliseconds to wait for an answer of Supabase Auth. */
export const AUTH_TIMEOUT_MS = 5_000;

/** The base URL of Supabase Auth: that of the project, or of the local stack. */
export function authUrl(): string {
  return `${supabaseUrl() || publicUrl()}/auth/v1`;
}

/**
 * The address of the console, without a slash at its end; "" where there is none. Environment: APP_ORIGIN, an origin or
 * a folder of one.
 */
export function appUrl(): string {
  return withoutSlash(Deno.env.get("APP_ORIGIN"));
}

/** The origin of the console, as its pages name it to the functions; "" where there is none. */
export function appOrigin(): string {
  const url = appUrl();
  return URL.canParse(url) ? new URL(url).origin : "";
}

/**
 * The key that may invite people; "" where there is none. Environment: SUPABASE_SECRET_KEYS, which Supabase sets to the keys
 * of the project by name, else SUPABASE_SECRET_KEY, else SUPABASE_SERVICE_ROLE_KEY, which a newer project may have switched
 * off.
 */
export function secretKey(): string {
  return keyOf(Deno.env.get("SUPABASE_SECRET_KEYS")) || Deno.env.get("SUPABASE_SECRET_KEY") ||
    Deno.env.get("SUPABASE_SERVICE_ROLE_KEY") || "";
}

/** The key of pages and other clients, in the same ways: SUPABASE_PUBLISHABLE_KEYS, SUPABASE_PUBLISHABLE_KEY, SUPABASE_ANON_KEY. */
export function publishableKey(): string {
  return keyOf(Deno.env.get("SUPABASE_PUBLISHABLE_KEYS")) || Deno.env.get("SUPABASE_PUBLISHABLE_KEY") ||
    Deno.env.get("SUPABASE_ANON_KEY") || "";
}

/** The default one of keys in JSON, or any. */
function keyOf(json = ""): string {
  if (json === "") return "";
  const keys = JSON.parse(json) as Record<string, string>;
  return keys["default"] ?? Object.values(keys)[0] ?? "";
}

/** The host names of PUBLIC_URL and SUPABASE_URL, where they are set. */
export function serviceHosts(): string[] {
  return [publicUrl(), supabaseUrl()].filter((url) => url !== "").map((url) => new URL(url).hostname);
}

/** Whether a host name, or an address with or without brackets, is this machine itself. */
export function isLoopback(host: string): boolean {
  return /^(([^.]+\.)*localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}

const publicUrl = () => withoutSlash(Deno.env.get("PUBLIC_URL"));
const supabaseUrl = () => withoutSlash(Deno.env.get("SUPABASE_URL"));

function withoutSlash(url = ""): string {
  return url.replace(/\/+$/, "");
}
