import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { ISql } from "postgres";
import { z } from "zod";
import { randomToken } from "../../../../supabase/functions/_shared/keys/random_token.ts";
import { sha256 } from "../../../../supabase/functions/_shared/runtime/sha256.ts";
import { isUuid } from "../../../../supabase/functions/_shared/runtime/uuid.ts";
import { AuthError } from "../errors.ts";

/** An app that registered itself: a row of auth.oauth_clients. */
export interface OAuthClient {
  id: string;
  client_secret_hash: string | null;
  client_type: "public" | "confidential";
  token_endpoint_auth_method: AuthMethod;
  redirect_uris: string[];
  grant_types: string[];
  client_name: string | null;
  client_uri: string | null;
  logo_uri: string | null;
  created_at: Date;
  updated_at: Date;
}

const AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;
type AuthMethod = typeof AUTH_METHODS[number];

/** Schemes of redirect addresses that would run scripts in the browser, or leak the authorization code. */
const DANGEROUS = ["javascript:", "data:", "file:", "vbscript:", "about:", "blob:"];
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const redirectUri = z.string().refine((uri) => {
  if (!URL.canParse(uri)) return false;
  const { protocol, host, hostname, hash } = new URL(uri);
  return host !== "" && hash === "" && !DANGEROUS.includes(protocol) &&
    (protocol !== "http:" || LOOPBACK.includes(hostname));
}, "invalid redirect_uri");
const link = z.url().max(2048).or(z.literal("")).optional();

export const Registration = z.object({
  redirect_uris: z.array(redirectUri).min(1).max(10),
  client_type: z.enum(["public", "confidential"]).optional(),
  token_endpoint_auth_method: z.enum(AUTH_METHODS).optional(),
  grant_types: z.array(z.enum(["authorization_code", "refresh_token"])).optional(),
  client_name: z.string().max(1024).optional(),
  client_uri: link,
  logo_uri: link,
}).refine(
  ({ client_type: type, token_endpoint_auth_method: method }) =>
    !type || !method || (type === "public") === (method === "none"),
  "client_type is inconsistent with token_endpoint_auth_method",
);

/** Registers an app. Only an app that declares itself public gets no secret. */
export async function registerClient(
  sql: ISql,
  given: z.infer<typeof Registration>,
): Promise<Record<string, unknown>> {
  const isPublic = given.client_type === "public" || given.token_endpoint_auth_method === "none";
  const secret = isPublic ? null : randomToken();
  const [client] = await sql<OAuthClient[]>`
    insert into auth.oauth_clients ${
    sql({
      client_secret_hash: secret && sha256(secret),
      client_type: isPublic ? "public" : "confidential",
      token_endpoint_auth_method: given.token_endpoint_auth_method ??
        (isPublic ? "none" : "client_secret_basic"),
      redirect_uris: given.redirect_uris,
      grant_types: given.grant_types?.length ? given.grant_types : ["authorization_code", "refresh_token"],
      client_name: given.client_name || null,
      client_uri: given.client_uri || null,
      logo_uri: given.logo_uri || null,
    })
  } returning *
  `;
  const { id, client_secret_hash: _, client_name, client_uri, logo_uri, ...shown } = client!;
  return {
    client_id: id,
    ...(secret && { client_secret: secret }),
    ...shown,
    response_types: ["code"],
    ...(client_name && { client_name }),
    ...(client_uri && { client_uri }),
    ...(logo_uri && { logo_uri }),
    registration_type: "dynamic",
  };
}

export async function findClient(sql: ISql, id: string | undefined): Promise<OAuthClient | undefined> {
  if (!isUuid(id ?? "")) return undefined;
  const [client] = await sql<OAuthClient[]>`select * from auth.oauth_clients where id = ${id!}`;
  return client;
}

/** The fields of an app that people see. */
export function showClient({ id, client_name, client_uri, logo_uri }: OAuthClient): Record<string, string> {
  return {
    id,
    ...(client_name && { name: client_name }),
    ...(client_uri && { uri: client_uri }),
    ...(logo_uri && { logo_uri }),
  };
}

/**
 * The app that calls the token endpoint. It must authenticate by the method that it registered.
 * @throws AuthError `invalid_credentials`.
 */
export async function authenticateClient(
  sql: ISql,
  authorization: string | undefined,
  form: Record<string, string>,
): Promise<OAuthClient> {
  const basic = /^Basic (\S+)$/.exec(authorization ?? "")?.[1];
  const [id, secret] = basic === undefined
    ? [form["client_id"], form["client_secret"] ?? ""]
    : Buffer.from(basic, "base64").toString().split(/:(.*)/s);
  const method = basic !== undefined ? "client_secret_basic" : secret ? "client_secret_post" : "none";
  const client = await findClient(sql, id);
  if (client?.token_endpoint_auth_method === method && hasSecret(client, secret ?? "")) return client;
  throw new AuthError(400, "invalid_credentials", "Invalid client credentials");
}

function hasSecret({ client_secret_hash: hash }: OAuthClient, secret: string): boolean {
  return hash === null ? secret === "" : timingSafeEqual(Buffer.from(hash), Buffer.from(sha256(secret)));
}
