import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import { cors } from "hono/cors";
import type { Sql } from "postgres";
import { randomToken } from "../../../supabase/functions/_shared/keys/random_token.ts";
import { isLoopback } from "../../../supabase/functions/_shared/runtime/service.ts";
import { firstLine } from "../stack_error.ts";
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from "./access_tokens.ts";
import { Attempts } from "./attempts.ts";
import { BODIES, readBody, requireStrength } from "./body.ts";
import { AuthError, errorResponse } from "./errors.ts";
import { deliverMail, type LinkType } from "./mail.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { chooseRedirect, redirectWith, redirectWithError } from "./redirects.ts";
import { endSessions, type Grant, refreshSession, type Scope, startSession } from "./sessions.ts";
import * as users from "./users.ts";

const SCOPES: readonly string[] = ["global", "local", "others"] satisfies Scope[];
/** Codes of the driver, of the network, and of Postgres (08 connection, 53 resources, 57 operator intervention). */
const UNREACHABLE = /^(CONNECT|ECONN|EPIPE|08|53|57)/;
const INVALID_LOGIN = new AuthError(400, "invalid_credentials", "Invalid login credentials");
const LINK_EXPIRED = new AuthError(403, "otp_expired", "Email link is invalid or has expired");
const FOREIGN_HOST = new AuthError(
  403,
  "not_found",
  "Local sign-in answers under its own address and APP_ORIGIN alone",
);
const USER_BANNED = new AuthError(403, "user_banned", "User is banned");

export interface AuthSettings {
  /** As the owner of schema auth. */
  sql: Sql;
  tokens: AccessTokens;
  /** `http://127.0.0.1:<port>/auth/v1` */
  url: string;
  /** The console's address: where links lead, and whose origin CORS allows. */
  siteUrl: string;
  /** The key that may invite. */
  serviceKey: string;
  /** Where the links of mails are kept. */
  mailFolder: string;
}

/**
 * GoTrue's routes for people who sign in with a password, as far as supabase-js calls them: the same paths, bodies,
 * errors and claims (github.com/supabase/auth). There is no mail: the address of whoever signs up counts as confirmed,
 * and the links of invitations and recoveries are printed.
 */
export function createAuthApp({ sql, tokens, url, siteUrl, serviceKey, mailFolder }: AuthSettings): Hono {
  const attempts = new Attempts();
  const app = new Hono().basePath("/auth/v1");
  const origins = [new URL(url).origin, new URL(siteUrl).origin];
  const siteHost = new URL(siteUrl).hostname;
  // A page of any site can have its own name lead to this machine (DNS rebinding), and would be of the same origin.
  app.use(async ({ req }, next) => {
    const host = hostName(req.header("host") ?? "");
    if (host !== "" && host !== siteHost && !isLoopback(host)) throw FOREIGN_HOST;
    await next();
  });
  app.use(cors({ origin: origins, credentials: true, exposeHeaders: ["X-Supabase-Api-Version"] }));
  app.notFound(({ req }) => errorResponse(new AuthError(404, "not_found", "No such route"), req.raw));
  app.onError((error, { req }) => {
    if (error instanceof AuthError) return errorResponse(error, req.raw);
    console.error(`Sign-in failed: ${firstLine(error)}`);
    // A client keeps its session at 503, and drops it at 500.
    const status = UNREACHABLE.test((error as { code?: string }).code ?? "") ? 503 : 500;
    return errorResponse(new AuthError(status, "unexpected_failure", "Unexpected failure"), req.raw);
  });

  app.get("/.well-known/jwks.json", () => Response.json(tokens.jwks));

  app.post("/token", async ({ req }) => {
    const userAgent = req.header("user-agent") ?? null;
    switch (req.query("grant_type")) {
      case "password": {
        const { email, password } = await readBody(req.raw, BODIES.password);
        const user = await attempts.make(email, async () => {
          const found = await users.findUserByEmail(sql, email);
          return await verifyPassword(password, found?.encrypted_password ?? null) ? found! : null;
        });
        if (user === null) throw INVALID_LOGIN;
        if (users.isBanned(user)) throw new AuthError(400, "user_banned", "User is banned");
        if (user.email_confirmed_at === null) {
          throw new AuthError(400, "email_not_confirmed", "Email not confirmed");
        }
        return Response.json(await showGrant(await startSession(sql, user.id, userAgent)));
      }
      case "refresh_token": {
        const { refresh_token } = await readBody(req.raw, BODIES.refresh);
        return Response.json(await showGrant(await refreshSession(sql, refresh_token)));
      }
      default:
        throw new AuthError(400, "invalid_credentials", "unsupported_grant_type");
    }
  });

  app.post("/signup", async ({ req }) => {
    const { email, password, data } = await readBody(req.raw, BODIES.signUp);
    requireStrength(password);
    const user = await users.signUpUser(sql, { email, data, passwordHash: await hashPassword(password) });
    if (!user) throw new AuthError(422, "user_already_exists", "User already registered");
    return Response.json(
      await showGrant(await startSession(sql, user.id, req.header("user-agent") ?? null)),
    );
  });

  app.get("/user", async ({ req }) => Response.json(users.showUser((await identify(req.raw)).user)));

  app.put("/user", async ({ req }) => {
    const { user, sessionId } = await identify(req.raw);
    const { password, email, data } = await readBody(req.raw, BODIES.update);
    if (email && email !== user.email) {
      throw new AuthError(422, "email_address_not_authorized", "Local sign-in does not change addresses");
    }
    let passwordHash: string | null = null;
    if (password) {
      requireStrength(password);
      if (await verifyPassword(password, user.encrypted_password)) {
        throw new AuthError(422, "same_password", "New password should be different from the old password.");
      }
      passwordHash = await hashPassword(password);
    }
    const updated = await users.updateUser(sql, user.id, { passwordHash, data });
    // Whoever knew the old password is signed out.
    if (passwordHash !== null) await endSessions(sql, "others", { userId: user.id, sessionId });
    return Response.json(users.showUser(updated));
  });

  app.post("/logout", async ({ req }) => {
    const { user, sessionId } = await identify(req.raw);
    const scope = req.query("scope") || "global";
    if (!SCOPES.includes(scope)) {
      throw new AuthError(400, "validation_failed", `Unsupported logout scope "${scope}"`);
    }
    await endSessions(sql, scope as Scope, { userId: user.id, sessionId });
    return new Response(null, { status: 204 });
  });

  app.post("/invite", async ({ req }) => {
    requireServiceKey(req.raw);
    const { email, data } = await readBody(req.raw, BODIES.invite);
    const token = randomToken();
    const user = await users.inviteUser(sql, { email, data, token });
    if (!user) {
      throw new AuthError(422, "email_exists", "A user with this email address has already been registered");
    }
    await send(email, "invite", token, req.query("redirect_to"));
    return Response.json(users.showUser(user));
  });

  app.post("/recover", async ({ req }) => {
    const { email } = await readBody(req.raw, BODIES.recover);
    const token = randomToken();
    // The same answer whether there is such a user or not.
    if (await users.startRecovery(sql, email, token)) {
      await send(email, "recovery", token, req.query("redirect_to"));
    }
    return Response.json({});
  });

  app.get("/verify", async ({ req }) => {
    const target = chooseRedirect(req.query("redirect_to") ?? null, siteUrl);
    const { type = "", token = "" } = req.query();
    try {
      const { user: _, ...grant } = await showGrant(await verifyLink(req.raw, type, token));
      return redirectWith(target, { ...grant, type });
    } catch (error) {
      if (error instanceof AuthError) return redirectWithError(target, error);
      throw error;
    }
  });

  async function verifyLink(request: Request, type: string, token: string): Promise<Grant> {
    if (type !== "invite" && type !== "recovery") {
      throw new AuthError(400, "validation_failed", "Unsupported verification type");
    }
    const user = await users.useLink(sql, type, token);
    if (!user) throw LINK_EXPIRED;
    if (users.isBanned(user)) throw USER_BANNED;
    return await startSession(sql, user.id, request.headers.get("user-agent"));
  }

  async function showGrant({ user, sessionId, refreshToken }: Grant) {
    const issuedAt = Math.floor(Date.now() / 1000);
    return {
      access_token: await tokens.sign(user, sessionId, issuedAt),
      token_type: "bearer",
      expires_in: ACCESS_TOKEN_SECONDS,
      expires_at: issuedAt + ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
      user: users.showUser(user),
    };
  }

  async function identify(request: Request): Promise<{ user: users.User; sessionId: string }> {
    const { userId, sessionId } = await tokens.verify(readBearer(request));
    const user = await users.findUserBySession(sql, userId, sessionId);
    if (!user) {
      throw new AuthError(403, "session_not_found", "Session from session_id claim in JWT does not exist");
    }
    if (users.isBanned(user)) throw USER_BANNED;
    return { user, sessionId };
  }

  function requireServiceKey(request: Request): void {
    // In constant time, whatever the lengths.
    const digest = (text: string) => createHash("sha256").update(text).digest();
    // Supabase's gateway takes a secret key in either header.
    const shown = [request.headers.get("apikey") ?? "", readBearer(request)];
    if (!shown.some((key) => timingSafeEqual(digest(key), digest(serviceKey)))) {
      throw new AuthError(403, "not_admin", "User not allowed");
    }
  }

  async function send(to: string, type: LinkType, token: string, redirectTo?: string): Promise<void> {
    const query = new URLSearchParams({
      token,
      type,
      redirect_to: chooseRedirect(redirectTo ?? null, siteUrl),
    });
    await deliverMail(mailFolder, { to, type, link: `${url}/verify?${query}` });
  }

  return app;
}

/** The name in a Host header, in lower case and without the port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

function readBearer(request: Request): string {
  const [, token] = /^bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (!token) {
    throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
  }
  return token;
}
