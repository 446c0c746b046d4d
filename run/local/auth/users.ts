import type { ISql, JSONValue } from "postgres";
import { sha256 } from "../../../supabase/functions/_shared/runtime/sha256.ts";
import type { LinkType } from "./mail.ts";

/** How the person proved who they are: by a password or a link (aal1), or also by a code of a second factor (aal2). */
export type Aal = "aal1" | "aal2";

export interface User {
  id: string;
  aud: string;
  role: string;
  email: string;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  invited_at: Date | null;
  raw_app_meta_data: Record<string, JSONValue>;
  raw_user_meta_data: Record<string, JSONValue>;
  created_at: Date;
  updated_at: Date;
}

/** How long a link in a mail works: the default of Supabase Auth. */
const LINK_LIFETIME = "24 hours";

/** A user as clients see it. @param factors the second factors from `listFactors` */
export function showUser(user: User, factors: Record<string, unknown>[] = []): Record<string, unknown> {
  const { encrypted_password: _, raw_app_meta_data, raw_user_meta_data, ...shown } = user;
  return {
    id: shown.id,
    aud: shown.aud,
    role: shown.role,
    email: shown.email,
    invited_at: shown.invited_at,
    email_confirmed_at: shown.email_confirmed_at,
    app_metadata: raw_app_meta_data,
    user_metadata: raw_user_meta_data,
    ...(factors.length > 0 && { factors }),
    created_at: shown.created_at,
    updated_at: shown.updated_at,
  };
}

/** @param email in lower case */
export async function findUserByEmail(sql: ISql, email: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`select * from auth.users where email = ${email} and not is_sso_user`;
  return user;
}

/** How the person signed in, and the app that has the session: null for a session of the person. */
export interface SessionKind {
  aal: Aal;
  oauth_client_id: string | null;
}

/** The user of a session that has not ended. */
export async function findUserBySession(
  sql: ISql,
  id: string,
  sessionId: string,
): Promise<User & SessionKind | undefined> {
  const [user] = await sql<(User & SessionKind)[]>`
    select u.*, s.aal, s.oauth_client_id from auth.users u join auth.sessions s on s.user_id = u.id
    where u.id = ${id} and s.id = ${sessionId} and (s.not_after is null or s.not_after > now())
  `;
  return user;
}

/**
 * Creates a user, or gives an invited user a password. The address counts as confirmed, because no mail is sent.
 * @returns undefined if a user who has confirmed the address exists.
 */
export async function signUpUser(sql: ISql, email: string, passwordHash: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    insert into auth.users as u (email, encrypted_password, email_confirmed_at)
    values (${email}, ${passwordHash}, now())
    on conflict (email) where not is_sso_user do update
    set encrypted_password = excluded.encrypted_password, email_confirmed_at = now(), confirmation_token = '',
      updated_at = now()
    where u.email_confirmed_at is null
    returning u.*
  `;
  return user;
}

/**
 * Creates a user with this metadata and an unconfirmed address, or invites such a user again. As in Supabase Auth, the
 * user keeps the metadata of the first invitation.
 * @returns undefined if a user who has confirmed the address exists.
 */
export async function inviteUser(
  sql: ISql,
  email: string,
  token: string,
  data: Record<string, JSONValue>,
): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    insert into auth.users as u (email, confirmation_token, confirmation_sent_at, invited_at, raw_user_meta_data)
    values (${email}, ${sha256(token)}, now(), now(), ${sql.json(data)})
    on conflict (email) where not is_sso_user do update
    set confirmation_token = excluded.confirmation_token, confirmation_sent_at = now(), invited_at = now(),
      updated_at = now()
    where u.email_confirmed_at is null
    returning u.*
  `;
  return user;
}

/** Stores the hash of a recovery token; the previous token stops working. Returns false if there is no such user. */
export async function startRecovery(sql: ISql, email: string, token: string): Promise<boolean> {
  const { count } = await sql`
    update auth.users set recovery_token = ${sha256(token)}, recovery_sent_at = now(), updated_at = now()
    where email = ${email} and not is_sso_user
  `;
  return count > 0;
}

/**
 * Uses up the token of a link. This confirms the address to which the link was sent.
 * @returns undefined if the link was used, has expired or never existed.
 */
export async function useLink(sql: ISql, type: LinkType, token: string): Promise<User | undefined> {
  const column = type === "invite" ? "confirmation" : "recovery";
  const [tokenColumn, sentColumn] = [sql(`${column}_token`), sql(`${column}_sent_at`)];
  const [user] = await sql<User[]>`
    update auth.users
    set ${tokenColumn} = '', email_confirmed_at = coalesce(email_confirmed_at, now()), updated_at = now()
    where ${tokenColumn} = ${sha256(token)} and ${sentColumn} > now() - ${LINK_LIFETIME}::interval
    returning *
  `;
  return user;
}

/** Sets the password. A recovery link that was not used stops working. */
export async function setPassword(sql: ISql, id: string, passwordHash: string): Promise<User> {
  const [user] = await sql<User[]>`
    update auth.users set encrypted_password = ${passwordHash}, recovery_token = '', updated_at = now()
    where id = ${id} returning *
  `;
  return user!;
}
