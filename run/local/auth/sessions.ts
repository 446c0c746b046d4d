import type { ISql } from "postgres";
import { randomToken } from "../../../supabase/functions/_shared/keys/random_token.ts";
import { AuthError, OAuthError } from "./errors.ts";
import type { Aal, User } from "./users.ts";

/** The result of a sign-in or a refresh. The access token contains the session's id. */
export interface Grant {
  user: User;
  sessionId: string;
  aal: Aal;
  refreshToken: string;
}

/** Where a request comes from, as the list of sessions shows it. */
export interface Device {
  userAgent: string | null;
  ip: string | null;
}

/** Which sessions of a person end with a sign-out: all, this one, or all others. */
export type Scope = "global" | "local" | "others";

/** Starts a session for the person, or for an app that acts for the person. */
export async function startSession(
  sql: ISql,
  userId: string,
  clientId: string | null = null,
  { userAgent, ip }: Device = { userAgent: null, ip: null },
): Promise<Grant> {
  const refreshToken = randomToken();
  const [row] = await sql<(User & { session_id: string })[]>`
    with session as (
      insert into auth.sessions (user_id, oauth_client_id, user_agent, ip)
      values (${userId}, ${clientId}, ${userAgent}, ${ip}) returning id
    ), token as (
      insert into auth.refresh_tokens (token, session_id) select ${refreshToken}, id from session
    )
    update auth.users u set last_sign_in_at = now(), updated_at = now() from session s
    where u.id = ${userId}
    returning u.*, s.id as session_id
  `;
  const { session_id, ...user } = row!;
  return { user, sessionId: session_id, aal: "aal1", refreshToken };
}

/**
 * Renews the session of a person's refresh token. The token stays the same, so that tabs can refresh at the same time.
 * @throws AuthError `refresh_token_not_found` if the session has ended.
 * @throws OAuthError `invalid_client` for an app's token, which would otherwise give the app the person's rights.
 */
export async function refreshSession(
  sql: ISql,
  refreshToken: string,
  { userAgent, ip }: Device,
): Promise<Grant> {
  const [row] = await sql<(User & { session_id: string; oauth_client_id: string | null; aal: Aal })[]>`
    update auth.sessions s
    set refreshed_at = now() at time zone 'utc', user_agent = ${userAgent}, ip = ${ip}
    from auth.refresh_tokens t, auth.users u
    where t.token = ${refreshToken} and s.id = t.session_id and u.id = s.user_id
      and (s.not_after is null or s.not_after > now())
    returning u.*, s.id as session_id, s.oauth_client_id, s.aal
  `;
  if (!row) {
    throw new AuthError(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found");
  }
  const { session_id, oauth_client_id, aal, ...user } = row;
  if (oauth_client_id !== null) {
    throw new OAuthError("invalid_client", "Client authentication required for OAuth session");
  }
  return { user, sessionId: session_id, aal, refreshToken };
}

export async function endSessions(
  sql: ISql,
  scope: Scope,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  await sql`
    delete from auth.sessions where user_id = ${userId} and case ${scope}::text
      when 'local' then id = ${sessionId}
      when 'others' then id <> ${sessionId}
      else true
    end
  `;
}
