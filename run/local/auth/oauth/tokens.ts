import type { Sql } from "postgres";
import { randomToken } from "../../../../supabase/functions/_shared/keys/random_token.ts";
import { AuthError, OAuthError } from "../errors.ts";
import { type Grant, startSession } from "../sessions.ts";
import type { User } from "../users.ts";
import { redeemCode } from "./authorizations.ts";
import type { OAuthClient } from "./clients.ts";

/** Answers a call of the token endpoint by an app that has authenticated. */
export async function grantTokens(
  sql: Sql,
  client: OAuthClient,
  form: Record<string, string>,
): Promise<Grant> {
  const type = form["grant_type"];
  if (!type) throw new OAuthError("invalid_request", "grant_type is required");
  if (!client.grant_types.includes(type)) {
    throw new OAuthError("unsupported_grant_type", `Client is not allowed to use grant type: ${type}`);
  }
  if (type === "refresh_token") return await replaceRefreshToken(sql, client, form["refresh_token"]);
  return await sql.begin(async (sql) => startSession(sql, await redeemCode(sql, client, form), client.id));
}

/**
 * Exchanges an app's refresh token for a new token. The previous token still gets the current token, because the app
 * may not have received the reply. An older token may have been stolen, so its use revokes all tokens of the session.
 */
async function replaceRefreshToken(sql: Sql, client: OAuthClient, used: string | undefined): Promise<Grant> {
  if (!used) throw new OAuthError("invalid_request", "refresh_token is required for refresh_token grant");
  const replaced = await sql.begin(async (sql) => {
    const [session] = await sql<{ id: string; user_id: string; oauth_client_id: string | null }[]>`
      select s.* from auth.sessions s join auth.refresh_tokens t on t.session_id = s.id
      where t.token = ${used} and (s.not_after is null or s.not_after > now()) for update of s
    `;
    if (!session) {
      throw new AuthError(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found");
    }
    if (session.oauth_client_id !== client.id) {
      throw new OAuthError("invalid_client", "Client does not match the session's OAuth client");
    }
    const [current] = await sql<{ token: string; parent: string | null }[]>`
      select token, parent from auth.refresh_tokens where session_id = ${session.id} and not revoked
    `;
    let refreshToken = current?.token;
    if (refreshToken === used) {
      refreshToken = randomToken();
      await sql`update auth.refresh_tokens set revoked = true where token = ${used}`;
      await sql`
        insert into auth.refresh_tokens (token, session_id, parent) values (${refreshToken}, ${session.id}, ${used})
      `;
    } else if (!current || current.parent !== used) {
      await sql`update auth.refresh_tokens set revoked = true where session_id = ${session.id}`;
      return null;
    }
    const [user] = await sql<User[]>`select * from auth.users where id = ${session.user_id}`;
    return { user: user!, sessionId: session.id, aal: "aal1" as const, refreshToken: refreshToken! };
  });
  if (replaced) return replaced;
  throw new AuthError(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used");
}
