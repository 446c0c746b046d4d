/** Where the site is published. */
export interface Settings {
  /** `/`, or `/<repository>/` below a domain of GitHub Pages. */
  base: string;
  /** `https://<owner>.github.io`; absent: the site has no canonical addresses and no sitemap. */
  origin: string | undefined;
  /** The address of the console, to which each page links; absent: no page links to it. */
  console: string | undefined;
}

/**
 * Reads SITE_BASE_PATH, SITE_ORIGIN and SITE_CONSOLE.
 * @throws Error if SITE_BASE_PATH is not a path, or SITE_ORIGIN is more or less than an origin
 */
export function readSettings(get: (name: string) => string | undefined): Settings {
  const base = get("SITE_BASE_PATH") || "/";
  if (!/^\/([\w.-]+\/)*[\w.-]*$/.test(base)) {
    throw new Error(`SITE_BASE_PATH must be a path such as /crm/: ${base}`);
  }
  const origin = get("SITE_ORIGIN") || undefined;
  if (origin !== undefined && URL.parse(origin)?.origin !== origin) {
    throw new Error(`SITE_ORIGIN must be an origin such as https://example.github.io: ${origin}`);
  }
  return { base: base.endsWith("/") ? base : `${base}/`, origin, console: get("SITE_CONSOLE") || undefined };
}
