import { createHash } from "node:crypto";
import type { ISql, JSONValue } from "postgres";
import type { LinkType } from "./mail.ts";

/** A row of auth.users. */
export interface User {
  id: string;
  aud: string;
  role: string;
  email: string;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  last_sign_in_at: Date | null;
  raw_app_meta_data: Record<string, JSONValue>;
  raw_user_meta_data: Record<string, JSONValue>;
  created_at: Date;
  updated_at: Date;
  banned_until: Date | null;
}

/** How long a link in a mail works: GoTrue's own default. */
const LINK_LIFETIME = "24 hours";

/** The user as GoTrue shows it. */
export function showUser(user: User): Record<string, unknown> {
  const times = {
    email_confirmed_at: user.email_confirmed_at,
    invited_at: user.invited_at,
    confirmation_sent_at: user.confirmation_sent_at,
    confirmed_at: user.email_confirmed_at,
    recovery_sent_at: user.recovery_sent_at,
    last_sign_in_at: user.last_sign_in_at,
    banned_until: user.banned_until,
  };
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: user.email,
    phone: "",
    ...Object.fromEntries(Object.entries(times).filter(([, at]) => at !== null)),
    app_metadata: user.raw_app_meta_data,
    user_metadata: user.raw_user_meta_data,
    identities: [{
      identity_id: user.id,
      id: user.id,
      user_id: user.id,
      identity_data: { sub: user.id, email: user.email, email_verified: user.email_confirmed_at !== null },
      provider: "email",
      last_sign_in_at: user.last_sign_in_at,
      created_at: user.created_at,
      updated_at: user.updated_at,
      email: user.email,
    }],
    created_at: user.created_at,
    updated_at: user.updated_at,
    is_anonymous: false,
  };
}

/** Whether the person may not sign in at present. */
export function isBanned({ banned_until }: User): boolean {
  return banned_until !== null && banned_until > new Date();
}

/** @param email In lower case. */
export async function findUserByEmail(sql: ISql, email: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select * from auth.users where email = ${email} and not is_sso_user and deleted_at is null
  `;
  return user;
}

/** The user of a session that has not ended. */
export async function findUserBySession(sql: ISql, id: string, sessionId: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select u.* from auth.users u join auth.sessions s on s.user_id = u.id
    where u.id = ${id} and s.id = ${sessionId} and u.deleted_at is null and (s.not_after is null or s.not_after > now())
  `;
  return user;
}

/**
 * Creates a user whose address counts as confirmed, or gives one who was only invited a password.
 * @returns undefined if a user who has confirmed the address exists.
 */
export async function signUpUser(
  sql: ISql,
  { email, passwordHash, data }: { email: string; passwordHash: string; data: Record<string, JSONValue> },
): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    insert into auth.users as u (email, encrypted_password, email_confirmed_at, raw_user_meta_data)
    values (${email}, ${passwordHash}, now(), ${sql.json(data)})
    on conflict (email) where not is_sso_user do update
    set encrypted_password = excluded.encrypted_password, email_confirmed_at = now(), confirmation_token = '',
      raw_user_meta_data = u.raw_user_meta_data || excluded.raw_user_meta_data, updated_at = now()
    where u.email_confirmed_at is null
    returning u.*
  `;
  return user;
}

/**
 * Creates a user who has yet to confirm the address, or invites such a one again.
 * @returns undefined if a user who has confirmed the address exists.
 */
export async function inviteUser(
  sql: ISql,
  { email, token, data }: { email: string; token: string; data: Record<string, JSONValue> },
): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    insert into auth.users as u (email, confirmation_token, confirmation_sent_at, invited_at, raw_user_meta_data)
    values (${email}, ${hashToken(token)}, now(), now(), ${sql.json(data)})
    on conflict (email) where not is_sso_user do update
    set confirmation_token = excluded.confirmation_token, confirmation_sent_at = now(), invited_at = now(),
      updated_at = now()
    where u.email_confirmed_at is null
    returning u.*
  `;
  return user;
}

/** Remembers the token of a recovery mail; the one before stops working. Returns undefined if there is no such user. */
export async function startRecovery(sql: ISql, email: string, token: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    update auth.users set recovery_token = ${hashToken(token)}, recovery_sent_at = now(), updated_at = now()
    where email = ${email} and not is_sso_user and deleted_at is null
    returning *
  `;
  return user;
}

/**
 * Uses up the token of a link, which confirms the address that the link was sent to.
 * @returns undefined if the link was used, has expired or never existed.
 */
export async function useLink(sql: ISql, type: LinkType, token: string): Promise<User | undefined> {
  const column = type === "invite" ? "confirmation" : "recovery";
  const [user] = await sql<User[]>`
    update auth.users
    set ${
    sql(`${column}_token`)
  } = '', email_confirmed_at = coalesce(email_confirmed_at, now()), updated_at = now()
    where ${sql(`${column}_token`)} = ${hashToken(token)} and deleted_at is null
      and ${sql(`${column}_sent_at`)} > now() - ${LINK_LIFETIME}::interval
    returning *
  `;
  return user;
}

/** Changes the password, if there is one, and the person's own data, of which fields that are null are removed. */
export async function updateUser(
  sql: ISql,
  id: string,
  { passwordHash, data }: { passwordHash: string | null; data: Record<string, JSONValue> },
): Promise<User> {
  const [user] = await sql<User[]>`
    update auth.users
    set encrypted_password = coalesce(${passwordHash}, encrypted_password), updated_at = now(),
      raw_user_meta_data = jsonb_strip_nulls(raw_user_meta_data || ${sql.json(data)}),
      recovery_token = case when ${passwordHash}::text is null then recovery_token else '' end
    where id = ${id}
    returning *
  `;
  return user!;
}

/** A token has 256 random bits, so a plain hash of it cannot be guessed. */
function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
