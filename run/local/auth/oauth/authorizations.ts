import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import type { Sql, TransactionSql } from "postgres";
import { randomToken } from "../../../../supabase/functions/_shared/keys/random_token.ts";
import { AuthError, OAuthError } from "../errors.ts";
import { withQuery } from "../redirects.ts";
import type { User } from "../users.ts";
import { findClient, type OAuthClient, showClient } from "./clients.ts";

/** A row of auth.oauth_authorizations: what an app asked for. */
interface Authorization {
  authorization_id: string;
  client_id: string;
  user_id: string | null;
  redirect_uri: string;
  scope: string;
  state: string | null;
  resource: string | null;
  code_challenge: string;
  code_challenge_method: string;
  status: "pending" | "approved" | "denied";
  authorization_code: string | null;
  expires_at: Date;
}

/** Supabase Auth's scopes, without `openid`, because there are no ID tokens. The scopes grant nothing in the CRM. */
export const AUTH_SCOPES = ["profile", "email", "phone", "offline_access"];

/**
 * Begins an authorization. Returns its id, or the app's redirect address with an error in the query.
 * @throws AuthError if the app or its redirect address is not registered: the person must not be redirected there.
 */
export async function beginAuthorization(
  sql: Sql,
  query: Record<string, string>,
): Promise<{ id: string } | { refusal: string }> {
  const client = await findClient(sql, query["client_id"]);
  if (!client) throw new AuthError(400, "oauth_client_not_found", "invalid client_id");
  const redirect_uri = query["redirect_uri"] ?? "";
  if (!client.redirect_uris.includes(redirect_uri)) {
    throw new AuthError(400, "validation_failed", "invalid redirect_uri");
  }
  const scope = query["scope"] || "email";
  const reason = refusalOf({ ...query, scope });
  if (reason !== null) {
    const error = { error: "invalid_request", error_description: reason, state: query["state"] ?? null };
    return { refusal: withQuery(redirect_uri, error) };
  }
  const id = randomToken();
  await sql`
    insert into auth.oauth_authorizations ${
    sql({
      authorization_id: id,
      client_id: client.id,
      redirect_uri,
      scope,
      state: query["state"] || null,
      resource: query["resource"] || null,
      code_challenge: query["code_challenge"]!,
      code_challenge_method: query["code_challenge_method"]!.toLowerCase(),
    })
  }
  `;
  return { id };
}

/** What is wrong with a request of a registered app; null if nothing is wrong. */
function refusalOf(query: Record<string, string>): string | null {
  const { response_type: type, scope, resource, code_challenge: challenge, code_challenge_method: method } =
    query;
  if (type && type !== "code") return "only response_type=code is supported";
  const unknown = scope!.split(" ").find((one) => one !== "" && !AUTH_SCOPES.includes(one));
  if (unknown) return `unsupported scope: ${unknown}`;
  if (resource && (!URL.canParse(resource) || /[#?]/.test(resource))) {
    return "resource must be an absolute URI without query and fragment";
  }
  if (!challenge || !method) return "PKCE flow requires both code_challenge and code_challenge_method";
  if (!/^(s256|plain)$/i.test(method)) return "code_challenge_method must be 'S256' or 'plain'";
  if (challenge.length < 43 || challenge.length > 128) {
    return "code_challenge must be between 43 and 128 characters";
  }
  return null;
}

/**
 * Returns what the consent page shows. If the person's earlier approval covers the request, returns only the app's
 * redirect address with a code. Only the first person who opens a request may answer the request.
 */
export async function openAuthorization(
  sql: Sql,
  id: string,
  user: User,
): Promise<Record<string, unknown>> {
  return await sql.begin(async (sql) => {
    const opened = await lockPending(sql, id, "authorization request cannot be processed");
    if (opened.user_id !== null && opened.user_id !== user.id) throw notFound();
    if (opened.user_id === null) {
      await sql`update auth.oauth_authorizations set user_id = ${user.id} where authorization_id = ${id}`;
      const [consent] = await sql`
        select from auth.oauth_consents
        where user_id = ${user.id} and client_id = ${opened.client_id} and revoked_at is null
          and string_to_array(scopes, ' ') @> string_to_array(${opened.scope}, ' ')
      `;
      if (consent) return { redirect_url: await approve(sql, opened) };
    }
    return {
      authorization_id: id,
      redirect_uri: opened.redirect_uri,
      client: showClient((await findClient(sql, opened.client_id))!),
      user: { id: user.id, email: user.email },
      scope: opened.scope,
    };
  });
}

/** Records the person's answer. Returns the app's redirect address with a code or the error `access_denied`. */
export async function answerAuthorization(
  sql: Sql,
  id: string,
  user: User,
  action: "approve" | "deny",
): Promise<string> {
  return await sql.begin(async (sql) => {
    const opened = await lockPending(sql, id, "authorization request is no longer pending");
    if (opened.user_id !== user.id) throw notFound();
    if (action === "deny") {
      await sql`update auth.oauth_authorizations set status = 'denied' where authorization_id = ${id}`;
      return withQuery(opened.redirect_uri, {
        error: "access_denied",
        error_description: "User denied the request",
        state: opened.state,
      });
    }
    await sql`
      insert into auth.oauth_consents (user_id, client_id, scopes)
      values (${user.id}, ${opened.client_id}, ${opened.scope})
      on conflict (user_id, client_id) do update
      set scopes = excluded.scopes, granted_at = now(), revoked_at = null
    `;
    return await approve(sql, opened);
  });
}

/**
 * Uses up a code. Returns the id of the person for whom the app acts.
 * @throws OAuthError `invalid_grant` if the code is unknown, used, expired or another app's, or if the redirect address
 * or the verifier is wrong. A failed try does not use up the code.
 */
export async function redeemCode(
  sql: TransactionSql,
  client: OAuthClient,
  form: Record<string, string>,
): Promise<string> {
  if (!form["code"]) throw new OAuthError("invalid_request", "code is required for authorization_code grant");
  const [found] = await sql<Authorization[]>`
    select * from auth.oauth_authorizations
    where authorization_code = ${form["code"]} and status = 'approved' for update
  `;
  const refuse = (why: string) => new OAuthError("invalid_grant", why);
  if (!found) throw refuse("Invalid authorization code");
  if (found.expires_at.getTime() < Date.now()) throw refuse("Authorization code has expired");
  if (found.client_id !== client.id) throw refuse("Authorization code was not issued for this client");
  if (form["redirect_uri"] && form["redirect_uri"] !== found.redirect_uri) {
    throw refuse("Invalid redirect_uri");
  }
  if (!isVerifier(found, form["code_verifier"] ?? "")) {
    throw refuse("PKCE verification failed: code challenge does not match previously saved code verifier");
  }
  await sql`delete from auth.oauth_authorizations where authorization_id = ${found.authorization_id}`;
  return found.user_id!;
}

function isVerifier(
  { code_challenge: challenge, code_challenge_method: method }: Authorization,
  verifier: string,
): boolean {
  const derived = method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
  return derived.length === challenge.length && timingSafeEqual(Buffer.from(derived), Buffer.from(challenge));
}

async function lockPending(sql: TransactionSql, id: string, otherwise: string): Promise<Authorization> {
  const [found] = await sql<Authorization[]>`
    select * from auth.oauth_authorizations where authorization_id = ${id} for update
  `;
  if (!found || found.expires_at.getTime() < Date.now()) throw notFound();
  if (found.status !== "pending") throw new AuthError(400, "validation_failed", otherwise);
  return found;
}

async function approve(sql: TransactionSql, opened: Authorization): Promise<string> {
  const code = crypto.randomUUID();
  await sql`
    update auth.oauth_authorizations set status = 'approved', authorization_code = ${code}
    where authorization_id = ${opened.authorization_id}
  `;
  return withQuery(opened.redirect_uri, { code, state: opened.state });
}

function notFound(): AuthError {
  return new AuthError(404, "oauth_authorization_not_found", "authorization not found");
}
