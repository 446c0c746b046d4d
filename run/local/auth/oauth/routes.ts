import type { Context, Hono } from "hono";
import { cors } from "hono/cors";
import type { Sql } from "postgres";
import { z } from "zod";
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from "../access_tokens.ts";
import { METADATA_PATH, ROOT_METADATA_PATH } from "../auth.ts";
import { readBody } from "../body.ts";
import { AuthError } from "../errors.ts";
import { isTrusted } from "../redirects.ts";
import type { User } from "../users.ts";
import { answerAuthorization, AUTH_SCOPES, beginAuthorization, openAuthorization } from "./authorizations.ts";
import { authenticateClient, registerClient, Registration } from "./clients.ts";
import { listGrants, revokeGrant } from "./grants.ts";
import { grantTokens } from "./tokens.ts";

/** Routes that apps in browsers, such as the MCP Inspector, call from their own origins, without cookies. */
const OPEN_PATHS = [METADATA_PATH, "/oauth/clients/register", "/oauth/token"];
/** The console's consent page. In a Supabase project this path is a setting (Authorization Path). */
const CONSENT_PATH = "/autorizar/";
const Answer = z.object({ action: z.enum(["approve", "deny"]) });

interface OAuthSettings {
  sql: Sql;
  tokens: AccessTokens;
  url: string;
  siteUrl: string;
  /** The person whose session the request carries. @throws AuthError if there is none. */
  identify: (request: Request) => Promise<{ user: User }>;
}

/**
 * Lets every origin call OPEN_PATHS. Call it before adding the CORS rule for all routes: that rule would otherwise
 * answer the preflight requests.
 */
export function openToAllOrigins(app: Hono): void {
  for (const path of OPEN_PATHS) app.use(path, cors({ origin: "*" }));
}

export function addRootMetadata(root: Hono, url: string): void {
  root.use(ROOT_METADATA_PATH, cors({ origin: "*" }));
  root.get(ROOT_METADATA_PATH, () => Response.json(metadataOf(url)));
}

/**
 * Adds the routes of Supabase Auth's OAuth 2.1 server that apps and the console call: discovery, registration,
 * authorization code with PKCE, refresh, and the person's approvals. ID tokens and `/oauth/userinfo` are missing.
 */
export function addOAuthRoutes(app: Hono, { sql, tokens, url, siteUrl, identify }: OAuthSettings): void {
  app.get(METADATA_PATH, () => Response.json(metadataOf(url)));

  app.post("/oauth/clients/register", async ({ req }) => {
    const body = await readBody(req.raw, Registration);
    return Response.json(await registerClient(sql, body), { status: 201 });
  });

  app.get("/oauth/authorize", async (context) => {
    const begun = await beginAuthorization(sql, context.req.query());
    if ("refusal" in begun) return context.redirect(begun.refusal);
    return context.redirect(`${siteUrl.replace(/\/+$/, "")}${CONSENT_PATH}?authorization_id=${begun.id}`);
  });

  app.get("/oauth/authorizations/:id", async (context) => {
    const { user } = await identifyHere(context);
    return Response.json(await openAuthorization(sql, context.req.param("id"), user));
  });

  app.post("/oauth/authorizations/:id/consent", async (context) => {
    const { user } = await identifyHere(context);
    const { action } = await readBody(context.req.raw, Answer);
    return Response.json({
      redirect_url: await answerAuthorization(sql, context.req.param("id"), user, action),
    });
  });

  app.post("/oauth/token", async ({ req }) => {
    const form = await readForm(req.raw);
    const client = await authenticateClient(sql, req.header("authorization"), form);
    const { user, sessionId, refreshToken } = await grantTokens(sql, client, form);
    return Response.json({
      access_token: await tokens.sign(user, sessionId, Math.floor(Date.now() / 1000), client.id),
      token_type: "bearer",
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
    });
  });

  app.get(
    "/user/oauth/grants",
    async ({ req }) => Response.json(await listGrants(sql, (await identify(req.raw)).user.id)),
  );

  app.delete("/user/oauth/grants", async ({ req }) => {
    await revokeGrant(sql, (await identify(req.raw)).user.id, req.query("client_id"));
    return new Response(null, { status: 204 });
  });

  async function identifyHere({ req }: Context): Promise<{ user: User }> {
    const origin = req.header("origin");
    if (origin && !isTrusted(origin, siteUrl)) {
      throw new AuthError(400, "validation_failed", "unauthorized request origin");
    }
    return await identify(req.raw);
  }
}

function metadataOf(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/clients/register`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: AUTH_SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    code_challenge_methods_supported: ["S256", "plain"],
  };
}

/** The fields of a form or a JSON object: the token endpoint accepts both. */
async function readForm(request: Request): Promise<Record<string, string>> {
  if (/application\/json/.test(request.headers.get("content-type") ?? "")) {
    return await readBody(request, z.record(z.string(), z.string()));
  }
  return Object.fromEntries(new URLSearchParams(await request.text()));
}
