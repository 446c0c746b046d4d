import assert from "node:assert/strict";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { readStackFile } from "../../run/local/stack_file.ts";
import {
  assertAuthError,
  authUrl,
  callAuth,
  newEmail,
  serviceKey,
  signIn,
  signUp,
} from "../support/local_auth.ts";
import { dataDir, functionsDatabaseUrl, openDatabase } from "../support/stack.ts";
import { openSql } from "../../run/local/sql.ts";

Deno.test("The demo member signs in with the password that the start prints, and gets the claims of Supabase", async () => {
  const { demo_email, demo_password } = await readStackFile(dataDir);
  const { status, body } = await signIn(` ${demo_email!.toUpperCase()} `, demo_password!);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), [
    "access_token",
    "token_type",
    "expires_in",
    "expires_at",
    "refresh_token",
    "user",
  ]);
  assert.deepEqual([body.token_type, body.expires_in], ["bearer", 3600]);
  assert.equal(body.user.email, demo_email);
  assert.equal(body.user.encrypted_password, undefined);

  const keys = createRemoteJWKSet(new URL(`${authUrl}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(body.access_token, keys, {
    algorithms: ["ES256"],
    issuer: authUrl,
    audience: "authenticated",
  });
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
  const [session] = await sql`select user_id, aal from auth.sessions where id = ${String(session_id)}`;
  assert.deepEqual({ ...session }, { user_id: body.user.id, aal: "aal1" });
  const [member] = await sql`select role, is_active from crm.members where lower(email) = ${demo_email}`;
  assert.deepEqual({ ...member }, { role: "admin", is_active: true });
});

Deno.test("The published key has a kid, is that of the tokens, and is not the private one", async () => {
  const { access_token } = await signUp();
  const { keys } = (await callAuth("GET /.well-known/jwks.json")).body;
  assert.equal(keys.length, 1);
  assert.deepEqual(decodeProtectedHeader(access_token), { alg: "ES256", kid: keys[0].kid, typ: "JWT" });
  assert.deepEqual(Object.keys(keys[0]).sort(), ["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"]);
});

Deno.test("A wrong password, an unknown address and a user without a password are the same answer, after a second", async () => {
  const { email } = await signUp();
  const invited = newEmail();
  await callAuth("POST /invite", { token: serviceKey, body: { email: invited } });
  await Promise.all([email, newEmail(), invited].map(async (address) => {
    const startedAt = performance.now();
    const reply = await signIn(address, "errada");
    assertAuthError(reply, "invalid_credentials", 400);
    assert.equal(reply.body.msg, "Invalid login credentials");
    assert.ok(performance.now() - startedAt >= 990);
  }));
});

Deno.test("Guesses for one address wait for each other, and of too many at once some are refused", async () => {
  const email = newEmail();
  const startedAt = performance.now();
  const replies = await Promise.all(Array.from({ length: 5 }, () => signIn(email, "errada")));
  const codes = Map.groupBy(replies, ({ body }) => body.error_code);
  assert.equal(codes.get("invalid_credentials")?.length, 3);
  assert.equal(codes.get("over_request_rate_limit")?.length, 2);
  for (const reply of codes.get("over_request_rate_limit")!) {
    assertAuthError(reply, "over_request_rate_limit", 429);
  }
  assert.ok(performance.now() - startedAt >= 2_950);
  // Another address is not held up, and neither is this one afterwards.
  const { email: other } = await signUp("segredo-2");
  assert.equal((await signIn(other, "segredo-2")).status, 200);
  assertAuthError(await signIn(email, "errada"), "invalid_credentials", 400);
});

Deno.test("Signing up confirms the address at once, and an address signs up once", async () => {
  const { email, access_token, user } = await signUp();
  assert.ok(user.email_confirmed_at);
  assert.deepEqual((await callAuth("GET /user", { token: access_token })).body, user);
  const again = { body: { email: email.toUpperCase(), password: "outra-senha" } };
  assertAuthError(await callAuth("POST /signup", again), "user_already_exists", 422);
  assertAuthError(await signIn(email, "outra-senha"), "invalid_credentials", 400);
});

Deno.test("What cannot be an address, a password or JSON is refused in words", async () => {
  const refuse = async (body: unknown, code: string, status: number, msg: RegExp) => {
    const reply = await callAuth("POST /signup", { body });
    assertAuthError(reply, code, status);
    assert.match(reply.body.msg, msg);
    return reply.body;
  };
  await refuse("{", "bad_json", 400, /JSON/);
  await refuse("[]", "validation_failed", 400, /object/);
  await refuse(
    { email: "ana", password: "segredo-1" },
    "validation_failed",
    400,
    /^Unable to validate email/,
  );
  await refuse({ email: newEmail() }, "validation_failed", 400, /^password: /);
  await refuse({ email: newEmail(), password: "é".repeat(37) }, "validation_failed", 400, /longer than 72/);
  const weak = await refuse({ email: newEmail(), password: "curta" }, "weak_password", 422, /at least 6/);
  assert.deepEqual(weak.weak_password, { reasons: ["length"] });
  await refuse("x".repeat(20_000), "request_entity_too_large", 413, /too large/);
  assertAuthError(await callAuth("POST /token?grant_type=pkce", { body: {} }), "invalid_credentials", 400);
  assertAuthError(await callAuth("GET /admin/users"), "not_found", 404);
});

Deno.test("An error has the form of the API version that the request names", async () => {
  const reply = await callAuth("GET /user", {
    token: "x",
    headers: { "X-Supabase-Api-Version": "2024-01-01" },
  });
  assert.deepEqual([reply.status, reply.body.code, reply.body.error_code], [403, "bad_jwt", undefined]);
  assert.ok(reply.body.message);
  assert.equal(reply.headers.get("X-Supabase-Api-Version"), "2024-01-01");
});

Deno.test("A new password takes the old one's place and ends the person's other sessions", async () => {
  const { email, access_token: token } = await signUp("segredo-1");
  const other = (await signIn(email, "segredo-1")).body.access_token;
  const update = (body: unknown) => callAuth("PUT /user", { token, body });
  assertAuthError(await update({ password: "segredo-1" }), "same_password", 422);
  assertAuthError(await update({ password: "12345" }), "weak_password", 422);
  assertAuthError(await update({ email: newEmail() }), "email_address_not_authorized", 422);

  const updated = await update({ password: "segredo-2", data: { name: "Bia", old: null } });
  assert.equal(updated.status, 200);
  assert.deepEqual(updated.body.user_metadata, { name: "Bia" });
  assert.equal((await callAuth("GET /user", { token })).status, 200);
  assertAuthError(await callAuth("GET /user", { token: other }), "session_not_found", 403);
  assertAuthError(await signIn(email, "segredo-1"), "invalid_credentials", 400);
  assert.equal((await signIn(email, "segredo-2")).status, 200);
});

Deno.test("Somebody who is banned or deleted is refused at once, with a valid token too", async () => {
  await using sql = openDatabase();
  const { email, user, access_token: token, refresh_token } = await signUp();
  await sql`update auth.users set banned_until = now() + interval '1 hour' where id = ${user.id}`;
  assertAuthError(await signIn(email, "segredo-1"), "user_banned", 400);
  assertAuthError(await callAuth("GET /user", { token }), "user_banned", 403);
  const refreshed = await callAuth("POST /token?grant_type=refresh_token", { body: { refresh_token } });
  assertAuthError(refreshed, "user_banned", 400);
  await sql`update auth.users set banned_until = null, deleted_at = now() where id = ${user.id}`;
  assertAuthError(await signIn(email, "segredo-1"), "invalid_credentials", 400);
  assertAuthError(await callAuth("GET /user", { token }), "session_not_found", 403);
});

Deno.test("A browser may call from the console's origin alone", async () => {
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
  // An error must be readable too, for its words to reach the person.
  const refused = await callAuth("GET /user", { headers: { origin } });
  assertAuthError(refused, "no_authorization", 401);
  assert.equal(refused.headers.get("access-control-allow-origin"), origin);
});

Deno.test("The functions' roles reach no table of sign-in", async () => {
  const functions = openSql(functionsDatabaseUrl, { max: 1 });
  await using sql = openDatabase();
  try {
    for (const table of ["users", "sessions", "refresh_tokens"]) {
      const refused = { code: "42501" };
      await assert.rejects(functions`select from auth.${functions(table)}`, refused);
      await assert.rejects(
        sql.begin(async (sql) => {
          await sql`set local role crm_api`;
          await sql`select from auth.${sql(table)}`;
        }),
        refused,
      );
    }
  } finally {
    await functions.end();
  }
});

Deno.test("Local sign-in answers nobody who reaches it by another name, as a page of another site could", async () => {
  const { hostname, port } = new URL(authUrl);
  const body = JSON.stringify({ email: newEmail(), password: "segredo-1" });
  const signUpAs = async (host: string) => {
    const connection = await Deno.connect({ hostname, port: Number(port) });
    const head = [
      "POST /auth/v1/signup HTTP/1.1",
      `Host: ${host}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    await connection.write(new TextEncoder().encode([...head, "Connection: close", "", body].join("\r\n")));
    return Number((await new Response(connection.readable).text()).slice(9, 12));
  };
  for (const host of ["evil.example", `EVIL.example:${port}`, "127.0.0.1.evil.example", "notlocalhost"]) {
    assert.equal(await signUpAs(host), 403, host);
  }
  assert.equal(await signUpAs(`localhost:${port}`), 200);
});

Deno.test("A body whose length was not announced is read no further than its limit", async () => {
  const body = new Blob([JSON.stringify({ email: newEmail(), password: "segredo-1" }), " ".repeat(100_000)])
    .stream();
  const response = await fetch(`${authUrl}/signup`, { method: "POST", body });
  assert.deepEqual([response.status, (await response.json()).error_code], [413, "request_entity_too_large"]);
});
