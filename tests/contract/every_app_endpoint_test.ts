// Rules for every endpoint of the console's functions. The tests loop over the declared endpoints.
import assert from "node:assert/strict";
import { SignJWT } from "jose";
import type { Sql } from "postgres";
import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { generateSigningKey } from "../../run/local/auth/signing_key.ts";
import type { ErrorCode } from "../../supabase/functions/_shared/contract/errors.ts";
import { ROLES } from "../../supabase/functions/_shared/contract/roles.ts";
import { assertError, call } from "../support/client.ts";
import { assertDocumented } from "../support/documented.ts";
import { makeWorkspace } from "../support/fixtures.ts";
import { addressOf } from "../support/gates.ts";
import { UNKNOWN_ID } from "../support/record_fixtures.ts";
import { sessionEndpoints } from "../support/resources.ts";
import { sql } from "../support/scenario.ts";
import { accessTokens, makeMember, signIn, signInAs } from "../support/sessions.ts";

const { admin, former, limited, suspended, ofTwo, workspaces, byRole, invalidTokens } = await makeCallers();

for (const { resource, route, title } of sessionEndpoints) {
  const { body, role } = route.endpoint;
  const path = addressOf(resource.name, route.path);
  const send = async (session: string, workspace?: string, sent: unknown = {}) => {
    const headers: Record<string, string> = workspace === undefined ? {} : { "X-Workspace-Id": workspace };
    const reply = await call(route.method, path, { session, headers, body: body && sent });
    assertDocumented(resource.name, route, reply);
    return reply;
  };

  Deno.test(`${title} answers 401 missing_session without a token (spec 7)`, async () => {
    const { key } = admin;
    const others = [{}, { Authorization: "Basic YTpi" }, { Authorization: "Bearer" }, { "X-API-Key": key }];
    for (const headers of others as Record<string, string>[]) {
      assertError(await call(route.method, path, { body: body && {}, headers }), "missing_session");
    }
  });

  const lower = role === null ? [] : ROLES.slice(0, ROLES.indexOf(role));
  const ofRole = [role !== null && "workspace_required", lower.length > 0 && "insufficient_role"];
  const codes = ["invalid_session", "not_a_member", ...ofRole, "rate_limited"].filter(Boolean).join(", ");
  Deno.test(`${title} answers ${codes} before it looks at the body (spec 7)`, async () => {
    const refuses = async (code: ErrorCode, session: string, workspace?: string) => {
      const reply = await send(session, workspace, "no json");
      assertError(reply, code);
      return reply;
    };
    for (const token of invalidTokens) await refuses("invalid_session", token);
    const { text } = await refuses("not_a_member", admin.session, UNKNOWN_ID);
    for (const foreign of [former.workspaceId, "x"]) {
      assert.equal((await refuses("not_a_member", admin.session, foreign)).text, text, "the same bytes");
    }
    await refuses("not_a_member", former.session);
    if (role !== null) await refuses("workspace_required", ofTwo.session);
    for (const less of lower) await refuses("insufficient_role", byRole[less].session);
    await sql`
      insert into crm.rate_limits (key_id, hits)
      values (${limited.memberId}, array_fill(clock_timestamp(), array[600]))
      on conflict (key_id) do update set hits = excluded.hits`;
    const { headers } = await refuses("rate_limited", limited.session);
    assert.ok(Number(headers.get("Retry-After")) > 0);
  });

  Deno.test(`${title} admits a person to each of their workspaces, and to a suspended one, so that they see why nothing works`, async () => {
    const admitted = [
      await send(admin.session),
      await send(admin.session, admin.workspaceId),
      await send(suspended.session),
      ...await Promise.all(workspaces.map((workspace) => send(ofTwo.session, workspace))),
    ];
    for (const { status, text } of admitted) {
      assert.ok(![401, 403].includes(status) && !text.includes("workspace_required"), text);
    }
  });
}

/**
 * Makes the callers of all tests in this file. In its workspace, each admin is the only admin who can sign in, so the
 * endpoint for leaving a workspace removes none of them.
 */
async function makeCallers() {
  const newAdmin = async () => {
    const { id: workspaceId, key } = await makeWorkspace(sql);
    return { workspaceId, key, ...await signIn(sql, workspaceId, "admin") };
  };
  const [admin, ended, former] = [await newAdmin(), await newAdmin(), await newAdmin()];
  const [limited, suspended] = [await newAdmin(), await newAdmin()];
  // Both are admitted once: the functions must know them before one loses the session and the other the membership.
  for (const { client } of [ended, former]) await client.get("/app-v1-workspace");
  await sql`delete from auth.sessions where id = ${ended.sessionId}`;
  await sql`update crm.members set is_active = false where id = ${former.memberId}`;
  await sql`update crm.workspaces set suspended = true where id = ${suspended.workspaceId}`;

  const workspaces = [(await makeWorkspace(sql)).id, (await makeWorkspace(sql)).id] as const;
  const first = await makeMember(sql, workspaces[0], "admin");
  await makeMember(sql, workspaces[1], "admin", first.email);
  return {
    ...{ admin, former, limited, suspended, workspaces },
    invalidTokens: [...await makeInvalidTokens(sql, admin), ended.session],
    ofTwo: await signInAs(sql, first),
    byRole: {
      admin,
      gestor: await signIn(sql, admin.workspaceId, "gestor"),
      vendedor: await signIn(sql, admin.workspaceId, "vendedor"),
    },
  };
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
