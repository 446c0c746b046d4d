import assert from "node:assert/strict";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { connect } from "../../bench/harness/world.ts";
import {
  assertAuthError,
  authUrl,
  callAuth,
  newEmail,
  refresh,
  signIn,
  signUp,
} from "../support/local_auth.ts";
import { sendRaw } from "../support/raw_request.ts";
import { functionsDatabaseUrl, openDatabase, stack } from "../support/stack.ts";

const userOf = (token: string) => callAuth("GET /user", { token });

Deno.test("The demo member signs in with the password that the start prints, and gets the claims of Supabase", async () => {
  const { demo_email, demo_password } = stack;
  const { status, body } = await signIn(` ${demo_email!.toUpperCase()} `, demo_password!);
  assert.equal(status, 200);
  assert.equal(body.user.email, demo_email);
  assert.equal(body.user.encrypted_password, undefined);

  const { keys } = (await callAuth("GET /.well-known/jwks.json")).body;
  assert.deepEqual(Object.keys(keys[0]).sort(), ["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"]);
  const { payload, protectedHeader } = await jwtVerify(
    body.access_token,
    createRemoteJWKSet(new URL(`${authUrl}/.well-known/jwks.json`)),
    { algorithms: ["ES256"], issuer: authUrl, audience: "authenticated" },
  );
  assert.deepEqual(protectedHeader, { alg: "ES256", kid: keys[0].kid, typ: "JWT" });
  const { iat, exp, session_id, ...claims } = payload;
  assert.deepEqual(claims, {
    iss: authUrl,
    aud: "authenticated",
    sub: body.user.id,
    email: demo_email,
    phone: "",
    role: "authenticated",
    aal: "aal1",
    is_anonymous: false,
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: { name: "Ana Souza" },
  });
  assert.deepEqual([exp! - iat!, exp], [3600, body.expires_at]);

  await using sql = openDatabase();
  const [session] = await sql`select user_id from auth.sessions where id = ${String(session_id)}`;
  assert.equal(session!["user_id"], body.user.id);
  const [member] = await sql`select role, is_active from crm.members where lower(email) = ${demo_email}`;
  assert.deepEqual({ ...member }, { role: "admin", is_active: true });
});

Deno.test("A wrong password and an unknown address get the same answer", async () => {
  const { email } = await signUp();
  for (const address of [email, newEmail()]) {
    const reply = await signIn(address, "errada");
    assertAuthError(reply, "invalid_credentials", 400);
    assert.equal(reply.body.msg, "Invalid login credentials");
  }
});

Deno.test("A person signs up only once with an address, which counts as confirmed", async () => {
  const { email, access_token, user } = await signUp();
  assert.ok(user.email_confirmed_at);
  assert.deepEqual((await userOf(access_token)).body, user);
  const again = { body: { email: email.toUpperCase(), password: "outra-senha" } };
  assertAuthError(await callAuth("POST /signup", again), "user_already_exists", 422);
  assertAuthError(await signIn(email, "outra-senha"), "invalid_credentials", 400);
});

Deno.test("A sign-up with a wrong body is refused, and the message says what is wrong", async () => {
  const cases: [body: unknown, code: string, status: number, msg: RegExp][] = [
    ["{", "bad_json", 400, /JSON/],
    ["[]", "validation_failed", 400, /object/],
    [{ email: "ana", password: "segredo-1" }, "validation_failed", 400, /Unable to validate email/],
    [{ email: newEmail() }, "validation_failed", 400, /^password: /],
    [{ email: newEmail(), password: "curta" }, "weak_password", 422, /at least 6/],
  ];
  for (const [body, code, status, msg] of cases) {
    const reply = await callAuth("POST /signup", { body });
    assertAuthError(reply, code, status);
    assert.match(reply.body.msg, msg);
  }
  assertAuthError(await callAuth("GET /admin/users"), "not_found", 404);
});

Deno.test("A new password replaces the old one and ends the person's other sessions", async () => {
  const { email, access_token: token } = await signUp("segredo-1");
  const other = (await signIn(email, "segredo-1")).body.access_token;
  const update = (body: unknown) => callAuth("PUT /user", { token, body });
  assertAuthError(await update({ password: "segredo-1" }), "same_password", 422);
  assertAuthError(await update({ password: "12345" }), "weak_password", 422);
  assertAuthError(await update({ email: newEmail() }), "email_address_not_authorized", 422);
  assert.equal((await update({ password: "segredo-2" })).status, 200);
  assert.equal((await userOf(token)).status, 200);
  assertAuthError(await userOf(other), "session_not_found", 403);
  assertAuthError(await signIn(email, "segredo-1"), "invalid_credentials", 400);
  assert.equal((await signIn(email, "segredo-2")).status, 200);
});

Deno.test("A refresh continues the session until the session has ended", async () => {
  await using sql = openDatabase();
  const { user, access_token, refresh_token } = await signUp();
  const { status, body } = await refresh(refresh_token);
  assert.equal(status, 200);
  assert.equal(decodeJwt(body.access_token)["session_id"], decodeJwt(access_token)["session_id"]);
  assertAuthError(await refresh("a".repeat(43)), "refresh_token_not_found", 400);
  assertAuthError(await refresh("\0"), "validation_failed", 400);
  await sql`update auth.sessions set not_after = now() where user_id = ${user.id}`;
  assertAuthError(await refresh(body.refresh_token), "refresh_token_not_found", 400);
  assertAuthError(await userOf(body.access_token), "session_not_found", 403);
});

for (const [scope, left] of [["local", [1]], ["others", [0]], ["global", []], ["", []]] as const) {
  Deno.test(`Signing out with the scope "${scope}" ends exactly those sessions, at once`, async () => {
    const first = await signUp();
    const second = (await signIn(first.email, "segredo-1")).body;
    const signedOut = await callAuth(`POST /logout?scope=${scope}`, { token: first.access_token });
    assert.deepEqual([signedOut.status, signedOut.body], [204, null]);
    for (const [index, { access_token, refresh_token }] of [first, second].entries()) {
      const expected = (left as readonly number[]).includes(index) ? [200, 200] : [403, 400];
      assert.deepEqual(
        [(await userOf(access_token)).status, (await refresh(refresh_token)).status],
        expected,
      );
    }
  });
}

Deno.test("A token that local sign-in did not sign with its algorithm is refused", async () => {
  const { access_token } = await signUp();
  const [header, payload, signature] = access_token.split(".");
  const encode = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const changed = [
    `${header}.${encode({ ...decodeJwt(access_token), sub: crypto.randomUUID() })}.${signature}`,
    `${encode({ alg: "none" })}.${payload}.`,
    `${encode({ alg: "HS256", typ: "JWT" })}.${payload}.${signature}`,
  ];
  for (const token of changed) assertAuthError(await userOf(token), "bad_jwt", 403);
  assertAuthError(await callAuth("POST /logout"), "no_authorization", 401);
});

Deno.test("A browser may call local sign-in only from the console's origin", async () => {
  const { origin } = new URL(authUrl);
  const preflight = (from: string) =>
    callAuth("OPTIONS /token?grant_type=password", {
      headers: {
        origin: from,
        "access-control-request-method": "POST",
        "access-control-request-headers":
          "apikey,authorization,content-type,x-client-info,x-supabase-api-version",
      },
    });
  const allowed = await preflight(origin);
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), origin);
  assert.match(allowed.headers.get("access-control-allow-methods")!, /POST/);
  assert.match(allowed.headers.get("access-control-allow-headers")!, /apikey,authorization,content-type/);
  assert.equal((await preflight("https://evil.example")).headers.get("access-control-allow-origin"), null);
  // CORS must let the page read errors too, so that it can show their texts.
  const refused = await callAuth("GET /user", { headers: { origin } });
  assertAuthError(refused, "no_authorization", 401);
  assert.equal(refused.headers.get("access-control-allow-origin"), origin);
});

Deno.test("The roles of the functions cannot read the tables of sign-in", async () => {
  await using functions = connect(functionsDatabaseUrl);
  await using sql = openDatabase();
  const refused = { code: "42501" };
  const tables =
    await sql`select relname from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r'`;
  assert.ok(tables.length >= 8);
  for (const { relname: table } of tables) {
    await assert.rejects(functions`select from auth.${functions(table)}`, refused);
    await assert.rejects(
      sql.begin(async (sql) => {
        await sql`set local role crm_api`;
        await sql`select from auth.${sql(table)}`;
      }),
      refused,
    );
  }
});

Deno.test("Local sign-in refuses requests under another host name, which a page of another site could make", async () => {
  const { port } = new URL(authUrl);
  const body = JSON.stringify({ email: newEmail(), password: "segredo-1" });
  const signUpAs = async (host: string) => {
    const head = ["POST /auth/v1/signup HTTP/1.1", `Host: ${host}`, `Content-Length: ${body.length}`];
    return Number((await sendRaw(authUrl, head, body)).slice(9, 12));
  };
  for (const host of ["evil.example", `EVIL.example:${port}`, "127.0.0.1.evil.example", "notlocalhost"]) {
    assert.equal(await signUpAs(host), 403, host);
  }
  assert.equal(await signUpAs(`localhost:${port}`), 200);
});
