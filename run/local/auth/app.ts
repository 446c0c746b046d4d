import { Hono } from "hono";
import { cors } from "hono/cors";
import type { Sql } from "postgres";
import { clientAddress } from "../../../supabase/functions/_shared/http/client_address.ts";
import { randomToken } from "../../../supabase/functions/_shared/keys/random_token.ts";
import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";
import { isUnreachable } from "../sql.ts";
import { firstLine } from "../stack_error.ts";
import { AUTH_PREFIX } from "./auth.ts";
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from "./access_tokens.ts";
import { BODIES, readBody } from "./body.ts";
import { AuthError, OAuthError } from "./errors.ts";
import { deliverMail, invitationHtml, type LinkType } from "./mail.ts";
import { addOAuthRoutes, addRootMetadata, openToAllOrigins } from "./oauth/routes.ts";
import { hashPassword, requireStrength, verifyPassword } from "./passwords.ts";
import { addFactorRoutes, listFactors } from "./factors.ts";
import { chooseRedirect, redirectWith } from "./redirects.ts";
import {
  type Device,
  endSessions,
  type Grant,
  refreshSession,
  type Scope,
  startSession,
} from "./sessions.ts";
import * as users from "./users.ts";

export interface AuthSettings {
  sql: Sql;
  tokens: AccessTokens;
  /** `http://127.0.0.1:<port>/auth/v1` */
  url: string;
  /** The console's address: links lead there, and CORS allows its origin. */
  siteUrl: string;
  /** The key that a caller must send to invite people. */
  serviceKey: string;
  mailFolder: string;
}

/**
 * The routes of Supabase Auth (GoTrue, github.com/supabase/auth) that the console and the functions call: sign-in with
 * a password, second factors, invitation, recovery, and OAuth for apps. Nothing sends mail: the links are printed and
 * kept in `mailFolder`.
 */
export function createAuthApp({ sql, tokens, url, siteUrl, serviceKey, mailFolder }: AuthSettings): Hono {
  const root = new Hono();
  const app = root.basePath(AUTH_PREFIX);
  const origins = [new URL(url).origin, new URL(siteUrl).origin];
  const siteHost = new URL(siteUrl).hostname;
  // Refuses unknown host names. Otherwise a site could call this server under the site's name (DNS rebinding).
  app.use(async ({ req }, next) => {
    const host = (req.header("host") ?? "").toLowerCase().replace(/:\d*$/, "");
    if (host !== "" && host !== siteHost && !isLoopback(host)) {
      throw new AuthError(
        403,
        "not_found",
        "Local sign-in answers only under its own address and APP_ORIGIN",
      );
    }
    await next();
  });
  openToAllOrigins(app);
  app.use(cors({ origin: origins, credentials: true }));
  addRootMetadata(root, url);
  addOAuthRoutes(app, { sql, tokens, url, siteUrl, identify });
  app.notFound(() => new AuthError(404, "not_found", "No such route").response());
  app.onError((error) => {
    if (error instanceof AuthError || error instanceof OAuthError) return error.response();
    const { code = "" } = error as { code?: string };
    // Class 22 of Postgres: a value that a column cannot have.
    if (/^22/.test(code)) return new AuthError(400, "validation_failed", "A value is invalid").response();
    console.error(`Sign-in failed: ${firstLine(error)}`);
    // A client keeps its session on 503, and drops the session on 500.
    const status = isUnreachable(code) ? 503 : 500;
    return new AuthError(status, "unexpected_failure", "Unexpected failure").response();
  });

  app.get("/.well-known/jwks.json", () => Response.json(tokens.jwks));

  app.post("/token", async ({ req }) => {
    if (req.query("grant_type") === "refresh_token") {
      const { refresh_token } = await readBody(req.raw, BODIES.refresh);
      return await grantResponse(await refreshSession(sql, refresh_token, deviceOf(req.raw)));
    }
    const { email, password } = await readBody(req.raw, BODIES.credentials);
    const user = await users.findUserByEmail(sql, email);
    if (!user || !await verifyPassword(password, user.encrypted_password)) {
      throw new AuthError(400, "invalid_credentials", "Invalid login credentials");
    }
    return await grantResponse(await startSession(sql, user.id, null, deviceOf(req.raw)));
  });

  app.post("/signup", async ({ req }) => {
    const { email, password } = await readBody(req.raw, BODIES.credentials);
    requireStrength(password);
    const user = await users.signUpUser(sql, email, await hashPassword(password));
    if (!user) throw new AuthError(422, "user_already_exists", "User already registered");
    return await grantResponse(await startSession(sql, user.id, null, deviceOf(req.raw)));
  });

  app.get("/user", async ({ req }) => {
    const { user } = await identify(req.raw, "or an app");
    return Response.json(users.showUser(user, await listFactors(sql, user.id)));
  });

  app.put("/user", async ({ req }) => {
    const { user, sessionId, aal } = await identify(req.raw);
    const { password, email } = await readBody(req.raw, BODIES.update);
    const factors = await listFactors(sql, user.id);
    if (aal === "aal1" && factors.some(({ status }) => status === "verified")) {
      throw new AuthError(
        401,
        "insufficient_aal",
        "AAL2 session is required to update email or password when MFA is enabled.",
      );
    }
    if (email && email !== user.email) {
      throw new AuthError(422, "email_address_not_authorized", "Local sign-in does not change addresses");
    }
    if (!password) return Response.json(users.showUser(user, factors));
    requireStrength(password);
    if (await verifyPassword(password, user.encrypted_password)) {
      throw new AuthError(422, "same_password", "New password should be different from the old password.");
    }
    const updated = await users.setPassword(sql, user.id, await hashPassword(password));
    // Ends all other sessions, because somebody else who knew the old password may have begun them.
    await endSessions(sql, "others", { userId: user.id, sessionId });
    return Response.json(users.showUser(updated, factors));
  });

  app.post("/logout", async ({ req }) => {
    const { user, sessionId } = await identify(req.raw);
    const scope = (req.query("scope") || "global") as Scope;
    await endSessions(sql, scope, { userId: user.id, sessionId });
    return new Response(null, { status: 204 });
  });

  app.post("/invite", async ({ req }) => {
    // Supabase's gateway accepts a secret key in either header.
    const keys = [req.header("apikey"), readBearer(req.raw)];
    if (!keys.includes(serviceKey)) throw new AuthError(403, "not_admin", "User not allowed");
    const { email, data } = await readBody(req.raw, BODIES.invitation);
    const token = randomToken();
    const user = await users.inviteUser(sql, email, token, data);
    if (!user) {
      throw new AuthError(422, "email_exists", "A user with this email address has already been registered");
    }
    await send(email, "invite", token, req.query("redirect_to"), user.raw_user_meta_data);
    return Response.json(users.showUser(user));
  });

  app.post("/recover", async ({ req }) => {
    const { email } = await readBody(req.raw, BODIES.address);
    const token = randomToken();
    // The answer must not tell whether the user exists.
    if (await users.startRecovery(sql, email, token)) {
      await send(email, "recovery", token, req.query("redirect_to"));
    }
    return Response.json({});
  });

  app.get("/verify", async ({ req }) => {
    const target = chooseRedirect(req.query("redirect_to"), siteUrl);
    const { type = "", token = "" } = req.query();
    const user = await users.useLink(sql, type === "invite" ? "invite" : "recovery", token);
    if (!user) {
      return redirectWith(target, {
        error: "access_denied",
        error_code: "otp_expired",
        error_description: "Email link is invalid or has expired",
      });
    }
    const { user: _, ...grant } = await showGrant(
      await startSession(sql, user.id, null, deviceOf(req.raw)),
    );
    return redirectWith(target, { ...grant, type });
  });

  addFactorRoutes(app, { sql, siteUrl, identify, grantResponse });

  async function showGrant({ user, sessionId, aal, refreshToken }: Grant) {
    const issuedAt = Math.floor(Date.now() / 1000);
    return {
      access_token: await tokens.sign(user, sessionId, issuedAt, undefined, aal),
      token_type: "bearer",
      expires_in: ACCESS_TOKEN_SECONDS,
      expires_at: issuedAt + ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
      user: users.showUser(user, await listFactors(sql, user.id)),
    };
  }

  async function grantResponse(grant: Grant): Promise<Response> {
    return Response.json(await showGrant(grant));
  }

  /**
   * The person who calls. Refuses an app that acts for the person, unless `who` is `or an app`. Supabase Auth treats an
   * app as the person, and even lets it set a password and add a second factor (docs/decisions/0022-mcp.md).
   */
  async function identify(
    request: Request,
    who?: "or an app",
  ): Promise<{ user: users.User; sessionId: string; aal: users.Aal }> {
    const { userId, sessionId } = await tokens.verify(readBearer(request));
    const found = await users.findUserBySession(sql, userId, sessionId);
    if (!found) {
      throw new AuthError(403, "session_not_found", "Session from session_id claim in JWT does not exist");
    }
    const { aal, oauth_client_id, ...user } = found;
    if (oauth_client_id !== null && who !== "or an app") {
      throw new AuthError(403, "insufficient_scope", "Local sign-in lets an app only read the person");
    }
    return { user, sessionId, aal };
  }

  async function send(
    to: string,
    type: LinkType,
    token: string,
    redirectTo?: string,
    data: users.User["raw_user_meta_data"] = {},
  ): Promise<void> {
    const query = new URLSearchParams({ token, type, redirect_to: chooseRedirect(redirectTo, siteUrl) });
    const link = `${url}/verify?${query}`;
    const html = type === "invite" ? { html: await invitationHtml(link, data) } : {};
    await deliverMail(mailFolder, { to, type, link, ...html });
  }

  return app;
}

function deviceOf({ headers }: Request): Device {
  return { userAgent: headers.get("user-agent"), ip: clientAddress(headers) };
}

function readBearer(request: Request): string {
  const [, token] = /^bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (token) return token;
  throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
}
