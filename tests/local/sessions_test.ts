import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { assertAuthError, callAuth, refresh, signIn, signUp } from "../support/local_auth.ts";
import { openDatabase } from "../support/stack.ts";

const userOf = (token: string) => callAuth("GET /user", { token });

Deno.test("A refresh token is exchanged for the next one, in the same session", async () => {
  const first = await signUp();
  const second = await refresh(first.refresh_token);
  assert.equal(second.status, 200);
  assert.notEqual(second.body.refresh_token, first.refresh_token);
  const session = (token: string) => decodeJwt(token).session_id;
  assert.equal(session(second.body.access_token), session(first.access_token));
  assert.equal((await refresh(second.body.refresh_token)).status, 200);
});

Deno.test("Tabs that refresh at the same time all get the same next token", async () => {
  const { refresh_token } = await signUp();
  const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(refresh_token)));
  assert.deepEqual(replies.map(({ status }) => status), replies.map(() => 200));
  assert.equal(new Set(replies.map(({ body }) => body.refresh_token)).size, 1);
  assert.equal((await refresh(replies[0]!.body.refresh_token)).status, 200);
});

Deno.test("An older refresh token works for 10 s after the last exchange; then it ends its session", async () => {
  await using sql = openDatabase();
  const first = await signUp();
  const second = (await refresh(first.refresh_token)).body;
  const third = (await refresh(second.refresh_token)).body;
  assert.equal((await refresh(first.refresh_token)).body.refresh_token, third.refresh_token);

  const { session_id } = decodeJwt<{ session_id: string }>(first.access_token);
  await sql`update auth.sessions set refreshed_at = refreshed_at - interval '11 seconds' where id = ${session_id}`;
  // The reply with the present token may have been lost, so the one before it works still.
  assert.equal((await refresh(second.refresh_token)).body.refresh_token, third.refresh_token);
  assertAuthError(await refresh(first.refresh_token), "refresh_token_already_used", 400);
  assertAuthError(await refresh(third.refresh_token), "refresh_token_not_found", 400);
  assertAuthError(await userOf(third.access_token), "session_not_found", 403);
});

Deno.test("A refresh token that was never given, or whose session has passed its end, is refused", async () => {
  await using sql = openDatabase();
  assertAuthError(await refresh("a".repeat(43)), "refresh_token_not_found", 400);
  assertAuthError(await refresh("short"), "validation_failed", 400);
  const { user, access_token, refresh_token } = await signUp();
  await sql`update auth.sessions set not_after = now() where user_id = ${user.id}`;
  assertAuthError(await refresh(refresh_token), "session_expired", 400);
  assertAuthError(await userOf(access_token), "session_not_found", 403);
});

for (const [scope, left] of [["local", [1, 2]], ["others", [0]], ["global", []], ["", []]] as const) {
  Deno.test(`Signing out with the scope "${scope}" ends exactly those sessions, at once`, async () => {
    const first = await signUp();
    const others = await Promise.all([1, 2].map(async () => (await signIn(first.email, "segredo-1")).body));
    const sessions = [first, ...others];
    const signedOut = await callAuth(`POST /logout?scope=${scope}`, { token: first.access_token });
    assert.deepEqual([signedOut.status, signedOut.body], [204, null]);
    for (const [index, { access_token, refresh_token }] of sessions.entries()) {
      const isLeft = (left as readonly number[]).includes(index);
      const [user, refreshed] = [await userOf(access_token), await refresh(refresh_token)];
      if (isLeft) assert.deepEqual([user.status, refreshed.status], [200, 200]);
      else {
        assertAuthError(user, "session_not_found", 403);
        assertAuthError(refreshed, "refresh_token_not_found", 400);
      }
    }
  });
}

Deno.test("Signing out in an unknown way, or without a session, ends nothing", async () => {
  const { access_token: token } = await signUp();
  assertAuthError(await callAuth("POST /logout?scope=all", { token }), "validation_failed", 400);
  assertAuthError(await callAuth("POST /logout"), "no_authorization", 401);
  assert.equal((await userOf(token)).status, 200);
});

Deno.test("A token that was not signed here, or has another algorithm, is refused", async () => {
  const { access_token } = await signUp();
  const [header, payload, signature] = access_token.split(".");
  const encode = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const changed = [
    `${header}.${encode({ ...decodeJwt(access_token), sub: crypto.randomUUID() })}.${signature}`,
    `${encode({ alg: "none" })}.${payload}.`,
    `${encode({ alg: "HS256", typ: "JWT" })}.${payload}.${signature}`,
    `${header}.${payload}.${"A".repeat(86)}`,
  ];
  for (const token of changed) assertAuthError(await userOf(token), "bad_jwt", 403);
});
