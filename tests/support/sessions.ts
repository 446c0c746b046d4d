import type { Sql } from "postgres";
import { makeMember, type SignedIn, signInAs } from "../../bench/harness/sessions.ts";
import { openAccessTokens } from "../../run/local/auth/access_tokens.ts";
import { loadSecrets } from "../../run/local/secrets.ts";
import type { Role } from "../../supabase/functions/_shared/contract/roles.ts";
import { baseUrl, dataDir } from "./stack.ts";

/** The tokens of the shared stack, signed with its own key. */
export const accessTokens = await openAccessTokens(
  (await loadSecrets(dataDir)).auth_signing_key,
  new URL("/auth/v1", baseUrl).href,
);

/** Adds a member with that role to a workspace, and signs in as that member. */
export async function signIn(sql: Sql, workspaceId: string, role: Role): Promise<SignedIn> {
  return await signInAs(sql, accessTokens, await makeMember(sql, workspaceId, role));
}
