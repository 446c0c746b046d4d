import type { ISql } from "postgres";
import { generateProposalLink } from "../../supabase/functions/_shared/keys/proposal_link.ts";
import { findWorkspace, operate, toMoment } from "./operator.ts";

export interface NewProposal {
  dealId: string;
  /** 1 to 255 characters. */
  title: string;
  /** 0 or more. */
  value?: number | undefined;
  /** 0 or more, each month. */
  recurringValue?: number | undefined;
  /** ISO 8601 in any form that the API accepts. Absent: the proposal never expires. */
  expiresAt?: string | undefined;
}

/**
 * Creates a draft, which only the workspace sees until it is sent.
 * @throws OperatorError if there is no such deal.
 */
export async function createProposal(sql: ISql, input: NewProposal): Promise<{ id: string }> {
  return await operate(sql, "proposal_create", {
    workspace_id: await findWorkspace(sql, "deal", input.dealId),
    deal_id: input.dealId,
    title: input.title,
    value: input.value,
    recurring_value: input.recurringValue,
    expires_at: toMoment(input.expiresAt),
  });
}

/**
 * Gives a proposal its public link; an earlier link stops working. Only this result has the token, because the database
 * stores only the token's hash.
 * @param appOrigin the console's address, without a slash at its end
 * @throws OperatorError if there is no such proposal, or it was answered or has expired.
 */
export async function sendProposal(
  sql: ISql,
  id: string,
  appOrigin: string,
): Promise<{ id: string; url: string }> {
  const workspace_id = await findWorkspace(sql, "proposal", id);
  const { link, stored } = generateProposalLink(workspace_id, appOrigin);
  await operate(sql, "proposal_send", { workspace_id, id, ...stored });
  return { id, url: link };
}
