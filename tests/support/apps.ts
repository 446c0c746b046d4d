import assert from "node:assert/strict";
import type { Sql } from "postgres";
import { startSession } from "../../run/local/auth/sessions.ts";
import type { Role } from "../../supabase/functions/_shared/contract/roles.ts";
import type { Scope } from "../../supabase/functions/_shared/contract/scopes.ts";
import { memberClient } from "./client.ts";
import { accessTokens, signIn } from "./sessions.ts";

const now = () => Math.floor(Date.now() / 1000);

/** Starts a session for an app, as Supabase Auth does after the person's consent; returns the app's access token. */
export async function issueToken(sql: Sql, userId: string, clientId: string, issuedAt = now()) {
  const { user, sessionId } = await startSession(sql, userId);
  return { sessionId, token: await accessTokens.sign(user, sessionId, issuedAt, clientId) };
}

/** Grants scopes to an app, as a signed-in member does in the console. */
export async function grant(session: string, clientId: string, scopes: readonly Scope[], name = "Claude") {
  const reply = await memberClient(session).post("/app-v1-apps", {
    client_id: clientId,
    client_name: name,
    scopes,
  });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

/** Creates a member of the workspace, and an app with a token and a grant from this member. */
export async function makeApp(sql: Sql, workspaceId: string, role: Role, scopes: readonly Scope[]) {
  const member = await signIn(sql, workspaceId, role);
  const clientId = crypto.randomUUID();
  const { token, sessionId } = await issueToken(sql, member.userId, clientId);
  return { member, clientId, token, sessionId, grant: await grant(member.session, clientId, scopes) };
}
