import { hashCredential, slotOf } from "../contract/credentials.ts";
import { randomToken } from "./random_token.ts";

/**
 * Generates the public link of a proposal, and the hash of its token. The database stores only the hash. The token is
 * in the link's fragment, because browsers send the fragment to no server.
 *
 * @param workspaceId the workspace of the proposal
 * @param appUrl the console's address, without a slash at its end
 */
export function generateProposalLink(
  workspaceId: string,
  appUrl: string,
): { link: string; stored: { token_hash: string } } {
  const token = randomToken() + slotOf(workspaceId);
  return { link: `${appUrl}/proposta/#${token}`, stored: { token_hash: hashCredential(token) } };
}
