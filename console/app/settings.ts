declare const BASE_PATH: string;
declare const SUPABASE_URL: string;
declare const PUBLISHABLE_KEY: string;
declare const SITE_URL: string;

/** The path at which the console is served, with a slash at both ends. */
export const basePath: string = BASE_PATH;
export const supabaseUrl: string = SUPABASE_URL || location.origin;
/** The project's publishable key for Supabase Auth. It is public. */
export const publishableKey: string = PUBLISHABLE_KEY;
/** The site with the guides, with a slash at its end; empty if the console was built without its address. */
export const siteUrl: string = SITE_URL;

/** The query of an address, without parameters that are undefined or empty. */
export function queryOf(parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => value ? [[name, value]] : []);
  return new URLSearchParams(given).toString();
}

/** The address of a page, with the base path: `href("chaves/", { id })` returns `/chaves/?id=…`. */
export function href(place: string, query: Record<string, string | undefined> = {}): string {
  const search = queryOf(query);
  return basePath + place + (search && `?${search}`);
}
