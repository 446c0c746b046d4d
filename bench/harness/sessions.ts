import type { Sql } from "postgres";
import type { AccessTokens } from "../../run/local/auth/access_tokens.ts";
import { startSession } from "../../run/local/auth/sessions.ts";
import { findUserByEmail, signUpUser } from "../../run/local/auth/users.ts";
import { operate } from "../../run/operator/operator.ts";
import type { Role } from "../../supabase/functions/_shared/contract/roles.ts";

/** A member, who may be signed in or not. */
export interface TestMember {
  memberId: string;
  email: string;
}

export interface SignedIn extends TestMember {
  userId: string;
  sessionId: string;
  session: string;
}

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

/** Signs a person in by e-mail, without the password, because checking one is slow on purpose. */
export async function signInAs(sql: Sql, tokens: AccessTokens, member: TestMember): Promise<SignedIn> {
  const { email } = member;
  await signUpUser(sql, email, "");
  const found = await findUserByEmail(sql, email);
  const { user, sessionId } = await startSession(sql, found!.id);
  const session = await tokens.sign(user, sessionId, Math.floor(Date.now() / 1000));
  return { ...member, userId: user.id, sessionId, session };
}
