// Rules for every endpoint of the console's functions. The tests loop over the declared endpoints.
import assert from "node:assert/strict";
import { SignJWT } from "jose";
import type { Sql } from "postgres";
import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { generateSigningKey } from "../../run/local/auth/signing_key.ts";
import { ROLES } from "../../supabase/functions/_shared/contract/roles.ts";
import { assertError, call } from "../support/client.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { addressOf, credentialsFor } from "../support/gates.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { apiResources, sessionEndpoints } from "../support/resources.ts";
import { test } from "../support/scenario.ts";
import { accessTokens, makeMember, signIn, signInAs } from "../support/sessions.ts";

for (const { resource, route, title } of sessionEndpoints) {
  const { body, bodyOptional, malformed, role } = route.endpoint;
  const send = (session: string | null, options: { body?: unknown; workspace?: string } = {}) =>
    call(route.method, addressOf(resource.name, route.path), {
      session,
      ...(body && { body: options.body ?? {} }),
      ...(options.workspace !== undefined && { headers: { "X-Workspace-Id": options.workspace } }),
    });

  Deno.test(`${title} answers 401 missing_session without a token (spec 7)`, async () => {
    const { key } = await credentialsFor(apiResources[0]!);
    const path = addressOf(resource.name, route.path);
    const other = { body: body && {} };
    const others = [{}, { Authorization: "Basic YTpi" }, { Authorization: "Bearer" }, { "X-API-Key": key! }];
    for (const headers of others as Record<string, string>[]) {
      assertError(await call(route.method, path, { ...other, headers }), "missing_session");
    }
  });

  test(`${title} answers 401 invalid_session to a token that is forged, expired, for another audience, or from an ended session (spec 7)`, async ({ sql, workspace: { id } }) => {
    const signedIn = await signIn(sql, id, "admin");
    for (const token of await makeInvalidTokens(sql, signedIn)) {
      assertError(await send(token, { body: "no json" }), "invalid_session");
    }
    assert.notEqual((await send(signedIn.session)).status, 401);
    await sql`delete from auth.sessions where id = ${signedIn.sessionId}`;
    assertError(await send(signedIn.session), "invalid_session");
  });

  test(`${title} answers 403 not_a_member for another company's workspace, with the same bytes as for an unknown workspace (spec 7)`, async ({ sql, workspace: { id } }) => {
    const other = await makeWorkspace(sql);
    const { session, memberId } = await signIn(sql, id, "admin");
    const replies = await Promise.all(
      [other.id, UNKNOWN_ID, "x"].map((workspace) => send(session, { workspace, body: "no json" })),
    );
    for (const reply of replies) {
      assertError(reply, "not_a_member");
      assert.equal(reply.text, replies[0]!.text);
    }
    assert.notEqual((await send(session, { workspace: id })).status, 403);
    await sql`update crm.members set is_active = false where id = ${memberId}`;
    assertError(await send(session), "not_a_member");
  });

  test(`${title} answers 429 rate_limited when the member's calls of the last minute are used up`, async ({ sql, workspace: { id } }) => {
    const { session, memberId } = await signIn(sql, id, "admin");
    await sql`
      insert into crm.rate_limits (key_id, hits)
      values (${memberId}, array_fill(clock_timestamp(), array[600]))`;
    const reply = await send(session, { body: "no json" });
    assertError(reply, "rate_limited");
    assert.ok(Number(reply.headers.get("Retry-After")) > 0);
  });

  test(`${title} works for members of a suspended workspace, so that they see why nothing works`, async ({ sql, workspace: { id } }) => {
    const { session } = await signIn(sql, id, "admin");
    await sql`update crm.workspaces set suspended = true where id = ${id}`;
    assert.notEqual((await send(session)).status, 403);
  });

  if (role !== null) {
    test(`${title} answers 400 workspace_required to a person with several workspaces who names none (spec 7)`, async ({ sql, workspace: { id } }) => {
      const { id: otherId } = await makeWorkspace(sql);
      const first = await makeMember(sql, id, "admin");
      await makeMember(sql, otherId, "admin", first.email);
      const { session } = await signInAs(sql, first);
      assertError(await send(session, { body: "no json" }), "workspace_required");
      for (const workspace of [id, otherId]) {
        const { status, text } = await send(session, { workspace });
        assert.ok(status !== 400 || !text.includes("workspace_required"), text);
      }
    });
  }

  const lower = ROLES.slice(0, role === null ? 0 : ROLES.indexOf(role));
  if (lower.length > 0) {
    test(`${title} answers 403 insufficient_role below its role, before looking at the body (spec 7)`, async ({ sql, workspace: { id } }) => {
      for (const less of lower) {
        const { session } = await signIn(sql, id, less);
        assertError(await send(session, { body: "no json" }), "insufficient_role");
      }
    });
  }

  if (body && !bodyOptional) {
    Deno.test(`${title} answers 400 ${malformed} for a body that is missing or not a JSON object (spec 1, 4.1, 7)`, async () => {
      const { session } = await credentialsFor(resource);
      for (const wrong of [undefined, "", "{", "[]", "null", "{}x"]) {
        const path = addressOf(resource.name, route.path);
        assertError(await call(route.method, path, { session, body: wrong }), malformed);
      }
    });
  }
}

/** Invalid tokens for this session, which every endpoint must refuse. */
async function makeInvalidTokens(sql: Sql, { userId, sessionId }: { userId: string; sessionId: string }) {
  const [user] = await sql`select * from auth.users where id = ${userId}`;
  const now = Math.floor(Date.now() / 1000);
  const forged = await openAccessTokens({ ...generateSigningKey(), kid: "other" }, "http://127.0.0.1");
  const [{ kid }] = accessTokens.jwks.keys as [{ kid: string }];
  const impostor = await openAccessTokens({ ...generateSigningKey(), kid }, "http://127.0.0.1");
  // Algorithm confusion: the token is signed with HS256, with the public key as the secret.
  const confused = new SignJWT({ session_id: sessionId, sub: userId, aud: "authenticated" })
    .setProtectedHeader({ alg: "HS256", kid }).setExpirationTime(now + 3600);
  const encode = (part: unknown) => btoa(JSON.stringify(part)).replaceAll("=", "");
  return [
    "x",
    "a.b.c",
    await forged.sign(user as never, sessionId, now),
    await impostor.sign(user as never, sessionId, now),
    await accessTokens.sign(user as never, sessionId, now - 7200),
    await accessTokens.sign(user as never, crypto.randomUUID(), now),
    await accessTokens.sign({ ...user, id: crypto.randomUUID() } as never, sessionId, now),
    await confused.sign(new TextEncoder().encode(JSON.stringify(accessTokens.jwks.keys[0]))),
    `${encode({ alg: "none" })}.${encode({ sub: userId, session_id: sessionId, aud: "authenticated" })}.`,
  ];
}
