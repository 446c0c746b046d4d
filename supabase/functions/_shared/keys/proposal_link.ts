import { hashCredential, slotOf } from "../contract/credentials.ts";
import { randomToken } from "./random_token.ts";

/**
 * Generates the public link of a proposal, and the hash of its token, which is all that the database stores. The token
 * is in the fragment, which browsers send to no server.
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
