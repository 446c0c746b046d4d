import { importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { AuthError } from "./errors.ts";
import type { SigningKey } from "./signing_key.ts";
import type { Aal, User } from "./users.ts";

const ALGORITHM = "ES256";
const AUDIENCE = "authenticated";

export const ACCESS_TOKEN_SECONDS = 3600;

const Claims = z.object({ sub: z.uuid(), session_id: z.uuid() });

export interface AccessTokens {
  /** The public key, as `/.well-known/jwks.json` shows it. */
  jwks: { keys: JWK[] };
  /**
   * Signs a token with the same claims as Supabase.
   * @param issuedAt seconds since 1970
   * @param clientId the app that gets the token; absent if the person gets it
   * @param aal how the person signed in; aal1 if absent
   */
  sign(user: User, sessionId: string, issuedAt: number, clientId?: string, aal?: Aal): Promise<string>;
  /** @throws AuthError `bad_jwt` if the token was not signed with this key, or has expired. */
  verify(token: string): Promise<{ userId: string; sessionId: string }>;
}

/** @param issuer the `iss` of the tokens, `<origin>/auth/v1` */
export async function openAccessTokens(key: SigningKey, issuer: string): Promise<AccessTokens> {
  const { d: _, ...publicPart } = key;
  const publicJwk = { ...publicPart, use: "sig", key_ops: ["verify"] };
  const [privateKey, publicKey] = [await importJWK(key, ALGORITHM), await importJWK(publicJwk, ALGORITHM)];
  return {
    jwks: { keys: [publicJwk] },
    sign(user, sessionId, issuedAt, clientId, aal = "aal1") {
      return new SignJWT({
        email: user.email,
        phone: "",
        app_metadata: user.raw_app_meta_data,
        user_metadata: user.raw_user_meta_data,
        role: user.role,
        aal,
        session_id: sessionId,
        is_anonymous: false,
        ...(clientId && { client_id: clientId }),
      })
        .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: "JWT" })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(user.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
        .sign(privateKey);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, publicKey, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
        });
        const { sub, session_id } = Claims.parse(payload);
        return { userId: sub, sessionId: session_id };
      } catch {
        throw new AuthError(403, "bad_jwt", "invalid JWT: unable to parse or verify signature");
      }
    },
  };
}
