/**
 * The release of the service, which the health check returns. The version of the API is in the function names (spec 9).
 */
export const SERVICE_VERSION = "1.0.0";

/** The base URL of every function: {base_url} of the spec. Environment: SUPABASE_URL. */
export function functionsUrl(): string {
  return `${Deno.env.get("SUPABASE_URL") ?? ""}/functions/v1`;
}
