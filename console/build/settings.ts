export interface Settings {
  /** The path at which the console is served, with a slash at both ends. */
  basePath: string;
  /** The project's URL without a slash at the end. Empty: the project has the same origin as the console. */
  supabaseUrl: string;
  publishableKey: string;
  /** The site with the guides, with a slash at its end: a URL, or a path on the console's origin. Empty: none. */
  siteUrl: string;
}

/**
 * Reads CONSOLE_BASE_PATH, CONSOLE_SUPABASE_URL, CONSOLE_PUBLISHABLE_KEY and CONSOLE_SITE_URL.
 * @throws Error that names an invalid variable
 */
export function readSettings(env: (name: string) => string | undefined): Settings {
  const basePath = env("CONSOLE_BASE_PATH") || "/";
  if (!/^\/([\w.~-]+\/)*$/.test(basePath)) {
    throw new Error(`CONSOLE_BASE_PATH is "${basePath}"; it begins and ends with a slash, for example /crm/`);
  }
  const supabaseUrl = (env("CONSOLE_SUPABASE_URL") || "").replace(/\/+$/, "");
  if (supabaseUrl !== "" && !isOrigin(supabaseUrl)) {
    throw new Error(`CONSOLE_SUPABASE_URL is "${supabaseUrl}"; it is the project's URL without a path`);
  }
  const publishableKey = env("CONSOLE_PUBLISHABLE_KEY") || "local";
  if (/^sb_secret_/.test(publishableKey)) {
    throw new Error(
      "CONSOLE_PUBLISHABLE_KEY is a secret key; anybody can read what the console is built with",
    );
  }
  const siteUrl = env("CONSOLE_SITE_URL") || "";
  if (siteUrl !== "" && !/^(https?:\/\/[\w.:-]+)?\/([\w.~-]+\/)*$/.test(siteUrl)) {
    throw new Error(`CONSOLE_SITE_URL is "${siteUrl}"; it is a URL or a path, with a slash at its end`);
  }
  return { basePath, supabaseUrl, publishableKey, siteUrl };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}
