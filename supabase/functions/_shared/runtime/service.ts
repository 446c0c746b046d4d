/** The service's release, shown by the health check. The API's own version is in the function names (spec 9). */
export const SERVICE_VERSION = "1.0.0";

/** The address under which every function is published: {base_url} of the spec. Environment: SUPABASE_URL. */
export function functionsUrl(): string {
  return `${Deno.env.get("SUPABASE_URL") ?? ""}/functions/v1`;
}
