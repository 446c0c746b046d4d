import { join } from "node:path";
import type { Secrets } from "../secrets.ts";
import { openSql } from "../sql.ts";
import { AuthError } from "./errors.ts";

/** The path at which the gateway serves local sign-in, the same as on Supabase. */
export const AUTH_PREFIX = "/auth/v1";
/** The path of the OAuth server's metadata, below AUTH_PREFIX. */
export const METADATA_PATH = "/.well-known/oauth-authorization-server";
/** The path of the same metadata at the root of the host (RFC 8414, 3.1). */
export const ROOT_METADATA_PATH = METADATA_PATH + AUTH_PREFIX;

/** The reply if something else created schema auth, as in a Supabase project, where Supabase Auth signs people in. */
const FOREIGN = new AuthError(
  503,
  "unexpected_failure",
  "The database's schema auth was not created by local sign-in: sign in through the service that created it",
);

interface Options {
  databaseUrl: string;
  dataDir: string;
  secrets: Secrets;
  origin: string;
  siteUrl: string;
  isOurs: boolean;
}

/** Opens local sign-in. It loads its code and connects on the first request, because on many stacks nobody signs in. */
export function openLocalAuth({ databaseUrl, dataDir, secrets, origin, siteUrl, isOurs }: Options) {
  const sql = openSql(databaseUrl, {
    max: 4,
    connect_timeout: 5,
    backoff: () => 1,
    connection: { application_name: "crm-auth" },
  });
  const url = origin + AUTH_PREFIX;

  async function open() {
    const [{ createAuthApp }, { openAccessTokens }] = await Promise.all([
      import("./app.ts"),
      import("./access_tokens.ts"),
    ]);
    return createAuthApp({
      sql,
      tokens: await openAccessTokens(secrets.auth_signing_key, url),
      url,
      siteUrl,
      serviceKey: secrets.service_key,
      mailFolder: join(dataDir, "mail"),
    });
  }

  let app: ReturnType<typeof open> | undefined;
  return {
    async handle(request: Request): Promise<Response> {
      if (!isOurs) return FOREIGN.response();
      app ??= open();
      return await (await app).fetch(request);
    },
    close: () => sql.end({ timeout: 2 }),
  };
}
