declare const BASE_PATH: string;
declare const SUPABASE_URL: string;
declare const PUBLISHABLE_KEY: string;

/** The path at which the console is served, with a slash at both ends. */
export const basePath: string = BASE_PATH;
/** The project's origin. */
export const supabaseUrl: string = SUPABASE_URL || location.origin;
/** The key that names the project to Supabase Auth; it is public. */
export const publishableKey: string = PUBLISHABLE_KEY;

/** The address of a page: `href("chaves/", { id })` is `/chaves/?id=…` below the base path. */
export function href(place: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return basePath + place + (search && `?${search}`);
}
