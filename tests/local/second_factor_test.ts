// The second factor of local sign-in: time-based codes, with the replies and error codes of Supabase Auth.
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { codeAt, stepAt } from "../../run/local/auth/totp.ts";
import { assertAuthError, callAuth, refresh, signIn, signUp } from "../support/local_auth.ts";
import { openDatabase } from "../support/stack.ts";

const aalOf = (token: string) => decodeJwt(token)["aal"];

/** Enrols a second factor for the person; it takes effect once a code is entered. */
async function enrol(token: string, friendly_name = "celular") {
  const body = { factor_type: "totp", friendly_name, issuer: "CRM" };
  const reply = await callAuth("POST /factors", { token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return {
    id: reply.body.id as string,
    totp: reply.body.totp as Record<"qr_code" | "secret" | "uri", string>,
  };
}

/** Opens a challenge for the factor, and answers it with the code. */
async function answer(token: string, id: string, code: string) {
  const challenge = await callAuth(`POST /factors/${id}/challenge`, { token });
  assert.equal(challenge.status, 200, JSON.stringify(challenge.body));
  return await callAuth(`POST /factors/${id}/verify`, {
    token,
    body: { challenge_id: challenge.body.id, code },
  });
}

/** The code that the person's device shows, `ahead` steps from now. Sign-in tolerates one step. */
const codeOf = (secret: string, ahead = 0) => codeAt(secret, stepAt(Date.now()) + ahead);

Deno.test("For the test secret of RFC 6238 the codes are those of the RFC", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  for (const [at, code] of [[59, "287082"], [1111111109, "081804"], [20000000000, "353130"]] as const) {
    assert.equal(codeAt(secret, stepAt(at * 1000)), code);
  }
});

Deno.test("A typed code turns the second factor on, raises this session to aal2 and ends the others", async () => {
  const person = await signUp();
  const token = person.access_token;
  const other = (await signIn(person.email, "segredo-1")).body.access_token;
  const { id, totp } = await enrol(token);
  assert.match(totp.qr_code, /^<svg/);
  assert.match(totp.uri, new RegExp(`^otpauth://totp/CRM:.*secret=${totp.secret}`));
  assert.equal((await callAuth("GET /user", { token })).body.factors[0].status, "unverified");
  assertAuthError(await answer(token, id, "000000"), "mfa_verification_failed", 422);

  const verified = await answer(token, id, codeOf(totp.secret));
  assert.equal(verified.status, 200);
  assert.equal(aalOf(verified.body.access_token), "aal2");
  assert.equal(verified.body.user.factors[0].status, "verified");
  assert.equal(aalOf((await refresh(verified.body.refresh_token)).body.access_token), "aal2");
  assertAuthError(await callAuth("GET /user", { token: other }), "session_not_found", 403);
});

Deno.test("A code works once, and only for its own challenge", async () => {
  const { access_token: token, email } = await signUp();
  const { id, totp } = await enrol(token);
  const code = codeOf(totp.secret);
  assert.equal((await answer(token, id, code)).status, 200);
  const again = (await signIn(email, "segredo-1")).body;
  assert.equal(aalOf(again.access_token), "aal1");
  assertAuthError(await answer(again.access_token, id, code), "mfa_verification_failed", 422);
  const challenge_id = crypto.randomUUID();
  const unknown = { token: again.access_token, body: { challenge_id, code: codeOf(totp.secret, 1) } };
  assertAuthError(await callAuth(`POST /factors/${id}/verify`, unknown), "mfa_factor_not_found", 422);
  assert.equal((await answer(again.access_token, id, codeOf(totp.secret, 1))).status, 200);
});

Deno.test("A challenge can be answered for 5 minutes", async () => {
  await using sql = openDatabase();
  const { access_token: token } = await signUp();
  const { id, totp } = await enrol(token);
  const challenge_id = (await callAuth(`POST /factors/${id}/challenge`, { token })).body.id;
  await sql`update auth.mfa_challenges set created_at = now() - interval '301 seconds' where id = ${challenge_id}`;
  const late = { token, body: { challenge_id, code: codeOf(totp.secret) } };
  assertAuthError(await callAuth(`POST /factors/${id}/verify`, late), "mfa_challenge_expired", 422);
});

Deno.test("Nobody reaches the second factor of another person", async () => {
  const victim = await signUp();
  const { id, totp } = await enrol(victim.access_token);
  await answer(victim.access_token, id, codeOf(totp.secret));
  const { access_token: token } = await signUp();
  for (const endpoint of [`POST /factors/${id}/challenge`, `DELETE /factors/${id}`]) {
    assertAuthError(await callAuth(endpoint, { token }), "mfa_factor_not_found", 404);
  }
  const body = { challenge_id: crypto.randomUUID(), code: codeOf(totp.secret, 1) };
  assertAuthError(
    await callAuth(`POST /factors/${id}/verify`, { token, body }),
    "mfa_factor_not_found",
    404,
  );
});

Deno.test("Whoever has only the password can neither remove the second factor, nor add one, nor change the password", async () => {
  const { access_token: token, email } = await signUp();
  const { id, totp } = await enrol(token);
  const verified = await answer(token, id, codeOf(totp.secret));
  const { access_token: first } = (await signIn(email, "segredo-1")).body;
  assertAuthError(await callAuth(`DELETE /factors/${id}`, { token: first }), "insufficient_aal", 422);
  const another = { token: first, body: { factor_type: "totp", friendly_name: "outro" } };
  assertAuthError(await callAuth("POST /factors", another), "insufficient_aal", 403);
  const change = { token: first, body: { password: "segredo-9" } };
  assertAuthError(await callAuth("PUT /user", change), "insufficient_aal", 401);

  const removed = await callAuth(`DELETE /factors/${id}`, { token: verified.body.access_token });
  assert.deepEqual([removed.status, removed.body], [200, { id }]);
  assert.equal(aalOf((await refresh(verified.body.refresh_token)).body.access_token), "aal1");
  assert.equal((await callAuth("GET /user", { token: first })).body.factors, undefined);
});
