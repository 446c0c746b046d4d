// Supabase Auth's OAuth 2.1 server, as local sign-in imitates it (github.com/supabase/auth, internal/api/oauthserver).
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { decodeJwt } from "jose";
import { assertAuthError, authUrl, callAuth, refresh, signUp } from "../support/local_auth.ts";
import {
  answer,
  authorize,
  connectApp,
  exchange,
  makeVerifier,
  openRequest,
  REDIRECT_URI,
  register,
} from "../support/oauth.ts";
import { openDatabase } from "../support/stack.ts";

const grantsOf = async (token: string) => (await callAuth("GET /user/oauth/grants", { token })).body;

/** Approves an authorization, as the console does; `token` absent: without a session. */
const approve = (id: string, token?: string, headers = {}) =>
  callAuth(`POST /oauth/authorizations/${id}/consent`, {
    ...(token && { token }),
    headers,
    body: { action: "approve" },
  });

/** Begins an authorization, approves it, and returns the form that exchanges its code at the token endpoint. */
async function approved(token: string, given: Record<string, unknown> = {}) {
  const app = await register(given);
  const { verifier, challenge } = makeVerifier();
  const { id } = await openRequest(token, app.id, challenge);
  const code = (await answer(token, id, "approve")).searchParams.get("code")!;
  const form = { grant_type: "authorization_code", client_id: app.id, code, code_verifier: verifier };
  return { app, id, form };
}

/** Asserts that the token endpoint refuses the form with an OAuth error. */
async function assertRefused(form: Record<string, string>, error: string): Promise<void> {
  const { status, body } = await exchange(form);
  assert.deepEqual([status, body.error], [400, error], JSON.stringify(body));
  assert.ok(body.error_description);
}

Deno.test("An app finds the server's metadata at both addresses, from any origin", async () => {
  const { origin } = new URL(authUrl);
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server/auth/v1`,
    `${authUrl}/.well-known/oauth-authorization-server`,
  ];
  for (const address of addresses) {
    const headers = { origin: "http://localhost:6274" };
    const reply = await fetch(address, { headers });
    assert.equal(reply.headers.get("access-control-allow-origin"), "*");
    const metadata = await reply.json();
    assert.equal(metadata.issuer, authUrl);
    assert.equal(metadata.registration_endpoint, `${authUrl}/oauth/clients/register`);
    const preflight = await fetch(address, {
      method: "OPTIONS",
      headers: { ...headers, "access-control-request-headers": "mcp-protocol-version" },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-headers"), "mcp-protocol-version");
  }
});

Deno.test("An app gets a token that names the person, the session and the app, once the person has approved", async () => {
  const { access_token: token, user } = await signUp();
  const app = await register();
  const { verifier, challenge } = makeVerifier();
  const { id, details } = await openRequest(token, app.id, challenge);
  assert.deepEqual(details.body, {
    authorization_id: id,
    redirect_uri: REDIRECT_URI,
    client: { id: app.id, name: "Assistente" },
    user: { id: user.id, email: user.email },
    scope: "email",
  });
  const target = await answer(token, id, "approve");
  assert.equal(target.origin + target.pathname, REDIRECT_URI);
  assert.equal(target.searchParams.get("state"), "estado");
  const { status, body } = await exchange({
    grant_type: "authorization_code",
    client_id: app.id,
    code: target.searchParams.get("code")!,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body).sort(), ["access_token", "expires_in", "refresh_token", "token_type"]);
  const { sub, client_id, session_id, iss } = decodeJwt(body.access_token);
  assert.deepEqual([sub, client_id, iss], [user.id, app.id, authUrl]);
  assert.notEqual(session_id, decodeJwt(token)["session_id"]);
  const [grant] = await grantsOf(token);
  assert.deepEqual([grant.client, grant.scopes], [{ id: app.id, name: "Assistente" }, ["email"]]);
});

Deno.test("An app may read the person, but changes no password, factor, session or grant of the person", async () => {
  const { access_token: person, user } = await signUp();
  const { access_token: token } = await connectApp(person, await register());
  assert.equal((await callAuth("GET /user", { token })).body.id, user.id);
  const refused = [
    "PUT /user",
    "POST /factors",
    `POST /factors/${crypto.randomUUID()}/challenge`,
    `POST /factors/${crypto.randomUUID()}/verify`,
    `DELETE /factors/${crypto.randomUUID()}`,
    "POST /logout",
    "GET /user/oauth/grants",
    "DELETE /user/oauth/grants",
  ];
  for (const route of refused) {
    const { status, body } = await callAuth(route, {
      token,
      ...!/^(GET|DELETE)/.test(route) && { body: {} },
    });
    assert.deepEqual([status, body.error_code], [403, "insufficient_scope"], route);
  }
  assert.equal((await callAuth("GET /user", { token: person })).status, 200);
});

Deno.test("A code works once, only for its app, its address and its verifier", async () => {
  const { access_token: token } = await signUp();
  const { form } = await approved(token);
  await assertRefused({ ...form, code_verifier: makeVerifier().verifier }, "invalid_grant");
  await assertRefused({ ...form, code_verifier: "" }, "invalid_grant");
  await assertRefused({ ...form, client_id: (await register()).id }, "invalid_grant");
  await assertRefused({ ...form, redirect_uri: `${REDIRECT_URI}/outra` }, "invalid_grant");
  await assertRefused({ ...form, code: crypto.randomUUID() }, "invalid_grant");
  await assertRefused({ ...form, grant_type: "password" }, "unsupported_grant_type");
  const replies = await Promise.all([exchange(form), exchange(form)]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
  await assertRefused(form, "invalid_grant");
});

Deno.test("An app may name only a redirect address that it registered, and nobody is redirected to another address", async () => {
  const { id } = await register();
  const { challenge } = makeVerifier();
  for (
    const redirect_uri of ["https://evil.example/", `${REDIRECT_URI}?a=1`, "http://127.0.0.1:9/callbackk", ""]
  ) {
    const { reply, target } = await authorize(id, challenge, { redirect_uri });
    assertAuthError(reply, "validation_failed", 400);
    assert.equal(target, null);
  }
  assertAuthError((await authorize(crypto.randomUUID(), challenge)).reply, "oauth_client_not_found", 400);
  const refused = (redirect_uris: unknown) =>
    callAuth("POST /oauth/clients/register", { body: { redirect_uris } });
  for (
    const uri of ["javascript:alert(1)", "http://example.com/", "https://example.com/#a", "/relativo", "a"]
  ) {
    assertAuthError(await refused([uri]), "validation_failed", 400);
  }
  assertAuthError(await refused([]), "validation_failed", 400);
  await register({ redirect_uris: ["https://example.com/callback", "cursor://anysphere.cursor/callback"] });
});

Deno.test("An app whose request is invalid gets the reason at its redirect address", async () => {
  const { id } = await register();
  const { challenge } = makeVerifier();
  const wrong: [Record<string, string>, RegExp][] = [
    [{ response_type: "token" }, /response_type/],
    [{ scope: "email deals:read" }, /unsupported scope: deals:read/],
    [{ code_challenge: "" }, /PKCE/],
    [{ code_challenge: "curto" }, /between 43 and 128/],
    [{ code_challenge_method: "S512" }, /S256/],
    [{ resource: "mcp" }, /resource/],
  ];
  for (const [given, reason] of wrong) {
    const { target } = await authorize(id, challenge, given);
    assert.equal(target!.origin + target!.pathname, REDIRECT_URI);
    const { error, error_description, state } = Object.fromEntries(target!.searchParams);
    assert.deepEqual([error, state], ["invalid_request", "estado"]);
    assert.match(error_description!, reason);
  }
});

Deno.test("If the person denies, the app gets access_denied, and a request can be answered only once", async () => {
  const { access_token: token } = await signUp();
  const { id } = await openRequest(token, (await register()).id, makeVerifier().challenge);
  const { searchParams } = await answer(token, id, "deny");
  assert.deepEqual([searchParams.get("error"), searchParams.get("state"), searchParams.get("code")], [
    "access_denied",
    "estado",
    null,
  ]);
  assertAuthError(await approve(id, token), "validation_failed", 400);
  assertAuthError(await callAuth(`GET /oauth/authorizations/${id}`, { token }), "validation_failed", 400);
  assert.deepEqual(await grantsOf(token), []);
});

Deno.test("Only the person who opened a request may answer it, signed in and from the console", async () => {
  const { access_token: token } = await signUp();
  const { access_token: other } = await signUp();
  const { id } = await openRequest(token, (await register()).id, makeVerifier().challenge);
  assertAuthError(await approve(id, other), "oauth_authorization_not_found", 404);
  const opened = await callAuth(`GET /oauth/authorizations/${id}`, { token: other });
  assertAuthError(opened, "oauth_authorization_not_found", 404);
  assertAuthError(await approve(id), "no_authorization", 401);
  assertAuthError(await approve(id, token, { origin: "https://evil.example" }), "validation_failed", 400);
  assert.equal((await approve(id, token)).status, 200);
});

Deno.test("A request and its code expire", async () => {
  await using sql = openDatabase();
  const { access_token: token } = await signUp();
  const { id } = await openRequest(token, (await register()).id, makeVerifier().challenge);
  const expire = (id: string) =>
    sql`update auth.oauth_authorizations set expires_at = now() where authorization_id = ${id}`;
  await expire(id);
  const opened = await callAuth(`GET /oauth/authorizations/${id}`, { token });
  assertAuthError(opened, "oauth_authorization_not_found", 404);
  assertAuthError(await approve(id, token), "oauth_authorization_not_found", 404);
  const { form, id: late } = await approved(token);
  await expire(late);
  await assertRefused(form, "invalid_grant");
});

Deno.test("A refresh token of an app is replaced when it is used, and use of an old token ends the newer tokens", async () => {
  const { access_token: token } = await signUp();
  const app = await register();
  const first = await connectApp(token, app);
  const renew = (refresh_token: string, client_id = app.id) =>
    exchange({ grant_type: "refresh_token", refresh_token, client_id });
  const { status, body: second } = await renew(first.refresh_token);
  assert.equal(status, 200);
  assert.notEqual(second.refresh_token, first.refresh_token);
  const [before, after] = [decodeJwt(first.access_token), decodeJwt(second.access_token)];
  assert.deepEqual([after["session_id"], after["client_id"]], [before["session_id"], app.id]);
  // The first token can be used again, because the reply with the second may have been lost.
  assert.equal((await renew(first.refresh_token)).body.refresh_token, second.refresh_token);
  const { body: third } = await renew(second.refresh_token);
  assertAuthError(await renew(first.refresh_token), "refresh_token_already_used", 400);
  assertAuthError(await renew(third.refresh_token), "refresh_token_already_used", 400);
});

Deno.test("An app's refresh token works only for that app, and never becomes the person's session", async () => {
  const { access_token: token, refresh_token } = await signUp();
  const app = await register();
  const { refresh_token: ofApp } = await connectApp(token, app);
  const form = { grant_type: "refresh_token", refresh_token: ofApp };
  await assertRefused({ ...form, client_id: (await register()).id }, "invalid_client");
  const asPerson = await refresh(ofApp);
  assert.deepEqual([asPerson.status, asPerson.body.error], [400, "invalid_client"]);
  await assertRefused({ ...form, refresh_token, client_id: app.id }, "invalid_client");
  assert.equal((await exchange({ ...form, client_id: app.id })).status, 200);
});

Deno.test("While an approval stands, the app is approved without asking; revoking the approval ends only that app's sessions", async () => {
  const { access_token: token } = await signUp();
  const app = await register();
  const other = await register();
  const tokens = await connectApp(token, app);
  const others = await connectApp(token, other);
  const { details } = await openRequest(token, app.id, makeVerifier().challenge);
  assert.deepEqual(Object.keys(details.body), ["redirect_url"]);
  assert.ok(new URL(details.body.redirect_url).searchParams.get("code"));
  assert.equal((await grantsOf(token)).length, 2);

  const revoke = () => callAuth(`DELETE /user/oauth/grants?client_id=${app.id}`, { token });
  assert.equal((await revoke()).status, 204);
  assertAuthError(await revoke(), "oauth_consent_not_found", 404);
  assert.deepEqual((await grantsOf(token)).map(({ client }: { client: { id: string } }) => client.id), [
    other.id,
  ]);
  assertAuthError(
    await exchange({
      grant_type: "refresh_token",
      client_id: app.id,
      refresh_token: tokens.refresh_token,
    }),
    "refresh_token_not_found",
    400,
  );
  assertAuthError(
    await callAuth("GET /user", { token: tokens.access_token }),
    "session_not_found",
    403,
  );
  assert.equal((await callAuth("GET /user", { token: others.access_token })).status, 200);
  assert.equal((await callAuth("GET /user", { token })).status, 200);
  const asked = await openRequest(token, app.id, makeVerifier().challenge);
  assert.equal(asked.details.body.client.id, app.id);
});

Deno.test("An app with a secret authenticates by the method that it registered", async () => {
  const { access_token: token } = await signUp();
  for (const method of [undefined, "client_secret_post"]) {
    const { app, form: { client_id: _, ...form } } = await approved(token, {
      token_endpoint_auth_method: method,
    });
    assert.ok(app.secret);
    const inBody = (secret: string) => exchange({ ...form, client_id: app.id, client_secret: secret });
    const inHeader = (secret: string) =>
      exchange(form, {
        authorization: `Basic ${Buffer.from(`${app.id}:${secret}`).toString("base64")}`,
      });
    const [right, wrong] = method ? [inBody, inHeader] : [inHeader, inBody];
    for (const reply of [await wrong(app.secret!), await right("errado"), await inBody("")]) {
      assertAuthError(reply, "invalid_credentials", 400);
    }
    assert.equal((await right(app.secret!)).status, 200);
  }
});
