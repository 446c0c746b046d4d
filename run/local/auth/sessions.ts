import type { ISql, Sql } from "postgres";
import { randomToken } from "../../../supabase/functions/_shared/keys/random_token.ts";
import { AuthError } from "./errors.ts";
import { isBanned, type User } from "./users.ts";

/** A new pair of the two that a client gets: the session's id goes into the access token. */
export interface Grant {
  user: User;
  sessionId: string;
  refreshToken: string;
}

/** Which of a person's sessions signing out ends. */
export type Scope = "global" | "local" | "others";

/**
 * How long after a refresh an older token still gets the present one, as in GoTrue: tabs of one browser that wake up
 * together refresh at the same time.
 */
const REUSE_INTERVAL = "10 seconds";

/** Starts a session. */
export async function startSession(sql: ISql, userId: string, userAgent: string | null): Promise<Grant> {
  const refreshToken = randomToken();
  const [row] = await sql<(User & { session_id: string })[]>`
    with session as (
      insert into auth.sessions (user_id, user_agent) values (${userId}, ${userAgent}) returning id
    ), token as (
      insert into auth.refresh_tokens (token, user_id, session_id) select ${refreshToken}, ${userId}, id from session
    )
    update auth.users u set last_sign_in_at = now(), updated_at = now() from session s
    where u.id = ${userId}
    returning u.*, s.id as session_id
  `;
  const { session_id, ...user } = row!;
  return { user, sessionId: session_id, refreshToken };
}

/**
 * Exchanges a refresh token for the next one of its session. As in GoTrue, the token before the present one gets the
 * present one again, because the reply may not have arrived; so does any of the session within REUSE_INTERVAL. Another
 * one that was used already may be stolen: its session ends.
 * @throws AuthError `refresh_token_not_found`, `refresh_token_already_used`, `session_expired`, `user_banned`.
 */
export async function refreshSession(sql: Sql, token: string): Promise<Grant> {
  const grant = await sql.begin(async (sql) => {
    // A statement of its own: the next one has to see what a refresh of the same session wrote that this one waits for.
    await sql`
      select from auth.sessions where id = (select session_id from auth.refresh_tokens where token = ${token})
      for update
    `;
    const found = await findToken(sql, token);
    if (!found) {
      throw invalid("refresh_token_not_found", "Refresh Token Not Found");
    }
    const { user, session_id, is_over, revoked, active, is_reusable } = found;
    if (isBanned(user)) throw invalid("user_banned", "User Banned");
    if (is_over) throw invalid("session_expired", "Session Expired");
    if (!revoked) return { user, sessionId: session_id, refreshToken: await rotate(sql, session_id, token) };
    if (active !== null && is_reusable) return { user, sessionId: session_id, refreshToken: active };
    await sql`delete from auth.sessions where id = ${session_id}`;
    return null;
  });
  // Thrown here, because an error inside would undo the end of the session.
  if (grant === null) throw invalid("refresh_token_already_used", "Already Used");
  return grant;
}

interface FoundToken {
  user: User;
  session_id: string;
  /** Whether the session has passed its end. */
  is_over: boolean;
  revoked: boolean;
  /** The present token of the session. */
  active: string | null;
  /** Whether the present token may be given for this one. */
  is_reusable: boolean;
}

async function findToken(sql: ISql, token: string): Promise<FoundToken | undefined> {
  const [row] = await sql<(User & Omit<FoundToken, "user">)[]>`
    select u.*, s.id as session_id, coalesce(s.not_after <= now(), false) as is_over, t.revoked, a.token as active,
      coalesce(a.parent = t.token or s.refreshed_at > now() at time zone 'utc' - ${REUSE_INTERVAL}::interval, false)
        as is_reusable
    from auth.refresh_tokens t
    join auth.sessions s on s.id = t.session_id
    join auth.users u on u.id = s.user_id and u.deleted_at is null
    left join auth.refresh_tokens a on a.session_id = s.id and not a.revoked
    where t.token = ${token}
  `;
  if (!row) return undefined;
  const { session_id, is_over, revoked, active, is_reusable, ...user } = row;
  return { user, session_id, is_over, revoked, active, is_reusable };
}

async function rotate(sql: ISql, sessionId: string, token: string): Promise<string> {
  const next = randomToken();
  await sql`
    with used as (
      update auth.refresh_tokens set revoked = true, updated_at = now() where token = ${token}
      returning user_id
    ), added as (
      insert into auth.refresh_tokens (token, user_id, session_id, parent)
      select ${next}, user_id, ${sessionId}, ${token} from used
    )
    update auth.sessions set refreshed_at = now() at time zone 'utc', updated_at = now() where id = ${sessionId}
  `;
  return next;
}

/** Ends sessions of a user: all, this one, or all but this one. */
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

function invalid(code: string, reason: string): AuthError {
  return new AuthError(400, code, `Invalid Refresh Token: ${reason}`);
}
