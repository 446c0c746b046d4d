import type { Sql } from "postgres";
import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { startSession } from "../../run/local/auth/sessions.ts";
import { findUserByEmail, signUpUser } from "../../run/local/auth/users.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import { operate } from "../../run/operator/operator.ts";
import type { Role } from "../../supabase/functions/_shared/contract/roles.ts";
import { memberClient } from "./client.ts";
import { baseUrl, dataDir } from "./stack.ts";

/** A member, who may be signed in or not. */
interface TestMember {
  memberId: string;
  email: string;
}

interface SignedIn extends TestMember {
  userId: string;
  sessionId: string;
  session: string;
  /** Calls the API as this member. */
  client: ReturnType<typeof memberClient>;
}

/** Signs and verifies tokens with the shared stack's own key. */
export const accessTokens = await openAccessTokens(
  (await loadSecrets(dataDir)).auth_signing_key,
  new URL("/auth/v1", baseUrl).href,
);

/** Adds a member with that role to a workspace. */
export async function makeMember(
  sql: Sql,
  workspaceId: string,
  role: Role,
  email = `${crypto.randomUUID()}@membro.example`,
): Promise<TestMember> {
  const { id } = await operate(sql, "member_invite", {
    workspace_id: workspaceId,
    name: "Membro",
    email,
    role,
  });
  return { memberId: id, email };
}

/** Signs a person in by e-mail, without the password, because checking a password is slow on purpose. */
export async function signInAs(sql: Sql, member: TestMember): Promise<SignedIn> {
  const { email } = member;
  await signUpUser(sql, email, "");
  const found = await findUserByEmail(sql, email);
  const { user, sessionId } = await startSession(sql, found!.id);
  const session = await accessTokens.sign(user, sessionId, Math.floor(Date.now() / 1000));
  return { ...member, userId: user.id, sessionId, session, client: memberClient(session) };
}

/** Adds a member with that role to a workspace, and signs in as that member. */
export async function signIn(sql: Sql, workspaceId: string, role: Role): Promise<SignedIn> {
  return await signInAs(sql, await makeMember(sql, workspaceId, role));
}
