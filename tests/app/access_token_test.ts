import assert from "node:assert/strict";
import { importJWK, jwtVerify, SignJWT } from "jose";
import { ApiError } from "../../supabase/functions/_shared/contract/errors.ts";
import {
  forgetAuth,
  type Session,
  verifyAccessToken,
  verifyAppToken,
} from "../../supabase/functions/_shared/http/access_token.ts";
import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { generateSigningKey } from "../../run/local/auth/signing_key.ts";
import type { User } from "../../run/local/auth/users.ts";
import { withEnvironment } from "../support/environment.ts";

const SECRET = crypto.getRandomValues(new Uint8Array(32));
const userId = crypto.randomUUID();
const sessionId = crypto.randomUUID();
const user = {
  id: userId,
  raw_app_meta_data: {},
  raw_user_meta_data: {},
  role: "authenticated",
  email: "a@b.co",
} as User;

/**
 * Stands in for Supabase Auth in a project whose tokens are signed with a shared secret: only Auth can verify them.
 * @param jwks public keys that it also serves
 */
function serveAuth(status = 200, jwks: unknown = null, delayMs = 0) {
  let asked = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    asked++;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (status !== 200) return new Response("{}", { status });
    const { pathname } = new URL(request.url);
    if (jwks !== null && pathname === "/auth/v1/.well-known/jwks.json") return Response.json(jwks);
    if (pathname !== "/auth/v1/user") return new Response("{}", { status: 404 });
    const token = request.headers.get("Authorization")!.replace("Bearer ", "");
    try {
      const { payload } = await jwtVerify(token, SECRET, { algorithms: ["HS256"] });
      return Response.json({ id: payload.sub });
    } catch {
      return Response.json({ error_code: "bad_jwt" }, { status: 403 });
    }
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, asked: () => asked, [Symbol.asyncDispose]: () => server.shutdown() };
}

const sign = (secret: Uint8Array, claims: Record<string, unknown> = {}, expiry = "1h") =>
  new SignJWT({ sub: userId, session_id: sessionId, aud: "authenticated", ...claims })
    .setProtectedHeader({ alg: "HS256" }).setExpirationTime(expiry).sign(secret);

/** Verifies the tokens in turn; returns the session or the error code of each. */
async function verifyAt(
  url: string,
  tokens: string[],
  jwks = "",
  verify: (token: string) => Promise<Session | ApiError> = verifyAccessToken,
) {
  const results: (Session | ApiError)[] = [];
  await withEnvironment({ SUPABASE_URL: url, SUPABASE_JWKS: jwks }, async () => {
    forgetAuth();
    for (const token of tokens) results.push(await verify(token));
  });
  forgetAuth();
  return results.map((result) => result instanceof ApiError ? result.code : result);
}

Deno.test("A token with a symmetric signature is verified by Supabase Auth, which is asked about each token once a minute", async () => {
  await using auth = serveAuth();
  const token = await sign(SECRET);
  assert.deepEqual(await verifyAt(auth.url, [token, token, token]), Array(3).fill({ userId, sessionId }));
  assert.equal(auth.asked(), 1);
});

Deno.test("A symmetric token that Supabase Auth refuses is invalid_session; a token that is expired or lacks a person's claims is refused without asking", async () => {
  await using auth = serveAuth();
  const forged = await sign(crypto.getRandomValues(new Uint8Array(32)));
  assert.deepEqual(await verifyAt(auth.url, [forged]), ["invalid_session"]);
  const asked = auth.asked();
  const others = await Promise.all([
    sign(SECRET, { aud: "anon" }),
    sign(SECRET, { session_id: undefined }),
    sign(SECRET, {}, "-1h"),
  ]);
  assert.deepEqual(await verifyAt(auth.url, others), Array(3).fill("invalid_session"));
  assert.equal(auth.asked(), asked);
});

Deno.test("A token that Supabase Auth issued to an OAuth client is refused, however tokens are verified", async () => {
  const key = generateSigningKey();
  const { jwks } = await openAccessTokens(key, "http://127.0.0.1/auth/v1");
  const privateKey = await importJWK(key, "ES256");
  await using auth = serveAuth(200, jwks);
  for (const verifiedBy of ["public keys", "Supabase Auth"]) {
    const tokens = [{}, { client_id: crypto.randomUUID() }, { client_id: null }].map((claims) =>
      verifiedBy === "Supabase Auth"
        ? sign(SECRET, claims)
        : new SignJWT({ sub: userId, session_id: sessionId, aud: "authenticated", ...claims })
          .setProtectedHeader({ alg: "ES256", kid: key.kid }).setExpirationTime("1h").sign(privateKey)
    );
    assert.deepEqual(
      await verifyAt(auth.url, await Promise.all(tokens)),
      [{ userId, sessionId }, "invalid_session", "invalid_session"],
      verifiedBy,
    );
  }
});

Deno.test("An app's token is verified with the public keys alone; a person's token and a symmetric token are refused without asking Supabase Auth", async () => {
  const { sign: signHere, jwks } = await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1");
  const clientId = crypto.randomUUID();
  const now = Math.floor(Date.now() / 1000);
  await using auth = serveAuth();
  const tokens = [
    await signHere(user, sessionId, now, clientId),
    await signHere(user, sessionId, now),
    await signHere(user, sessionId, now, "app"),
    await sign(SECRET, { client_id: clientId }),
  ];
  assert.deepEqual(
    await verifyAt(auth.url, tokens, JSON.stringify(jwks), verifyAppToken),
    [{ userId, sessionId, clientId }, ...Array(3).fill("invalid_session")],
  );
  assert.equal(auth.asked(), 0);
});

Deno.test("A flood of invalid symmetric tokens delays neither known sessions nor new sign-ins", async () => {
  await using auth = serveAuth(200, null, 100);
  await withEnvironment({ SUPABASE_URL: auth.url, SUPABASE_JWKS: "" }, async () => {
    forgetAuth();
    assert.deepEqual(await verifyAccessToken(await sign(SECRET)), { userId, sessionId });
    const forged = await sign(crypto.getRandomValues(new Uint8Array(32)), {
      session_id: crypto.randomUUID(),
    });
    let flooding = true;
    const strangers = Array.from({ length: 40 }, async () => {
      while (flooding) {
        const result = await verifyAccessToken(forged);
        assert.ok(result instanceof ApiError);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const renewed = await verifyAccessToken(await sign(SECRET, { iat: 1 }));
    const newSession = crypto.randomUUID();
    const token = await sign(SECRET, { session_id: newSession });
    // Only a few unknown tokens are checked at the same time, so a new sign-in may need several tries.
    let first = await verifyAccessToken(token);
    for (let tries = 1; first instanceof ApiError && tries < 20; tries++) {
      first = await verifyAccessToken(token);
    }
    flooding = false;
    await Promise.all(strangers);
    assert.deepEqual([renewed, first], [{ userId, sessionId }, { userId, sessionId: newSession }]);
    forgetAuth();
  });
});

// No sanitizers: the library for the public keys does not read a 5xx's body, which Deno 2.1 counts as a leak.
Deno.test(
  "While Supabase Auth does not answer, or answers 5xx, a call gets service_unavailable, and its token is not refused",
  { sanitizeResources: false, sanitizeOps: false },
  async () => {
    const { sign: signHere } = await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1");
    const asymmetric = await signHere(user, sessionId, Math.floor(Date.now() / 1000));
    const tokens = [await sign(SECRET), asymmetric];
    const closed = serveAuth();
    await closed[Symbol.asyncDispose]();
    assert.deepEqual(await verifyAt(closed.url, tokens), Array(2).fill("service_unavailable"));
    await using failing = serveAuth(500);
    assert.deepEqual(await verifyAt(failing.url, tokens), Array(2).fill("service_unavailable"));
  },
);

Deno.test("With SUPABASE_JWKS an asymmetric token is verified without a request, unless the variable lacks the token's key", async () => {
  const tokens = await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1");
  const token = await tokens.sign(user, sessionId, Math.floor(Date.now() / 1000));
  await using auth = serveAuth();
  // Supabase sets the variable in either of these forms.
  for (const jwks of [tokens.jwks, tokens.jwks.keys]) {
    assert.deepEqual(await verifyAt(auth.url, [token], JSON.stringify(jwks)), [{ userId, sessionId }]);
  }
  assert.equal(auth.asked(), 0);

  // The variable has old keys: they were replaced after the deployment that set it.
  const old = (await openAccessTokens(generateSigningKey(), "http://127.0.0.1/auth/v1")).jwks;
  await using rotated = serveAuth(200, tokens.jwks);
  assert.deepEqual(
    await verifyAt(rotated.url, [token, token], JSON.stringify(old)),
    Array(2).fill({ userId, sessionId }),
  );
  assert.equal(rotated.asked(), 1);
});
