import type { ISql } from "postgres";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { findWorkspace, operate } from "./operator.ts";
import { randomToken } from "./random_token.ts";

export interface NewProposal {
  dealId: string;
  /** 1 to 255 characters. */
  title: string;
  /** 0 or more. */
  value?: number | undefined;
  /** 0 or more, each month. */
  recurringValue?: number | undefined;
  /** ISO 8601; never where absent. */
  expiresAt?: string | undefined;
}

/**
 * Makes a draft, which nobody but its workspace sees until it is sent.
 * @throws OperatorError where there is no such deal.
 */
export async function createProposal(sql: ISql, input: NewProposal): Promise<{ id: string }> {
  return await operate(sql, "proposal_create", {
    workspace_id: await findWorkspace(sql, "deal", input.dealId),
    deal_id: input.dealId,
    title: input.title,
    value: input.value,
    recurring_value: input.recurringValue,
    expires_at: input.expiresAt,
  });
}

/**
 * Gives a proposal its public link. The token is in this answer and nowhere else: the database gets only its hash.
 * Sending again makes another link, and the one before stops working.
 * @param functionsUrl Where the functions are: `<origin>/functions/v1`.
 * @throws OperatorError where there is no such proposal, or it was answered or has expired.
 */
export async function sendProposal(
  sql: ISql,
  id: string,
  functionsUrl: string,
): Promise<{ id: string; url: string }> {
  const token = randomToken();
  const workspace_id = await findWorkspace(sql, "proposal", id);
  await operate(sql, "proposal_send", { workspace_id, id, token_hash: hashCredential(token) });
  return { id, url: `${functionsUrl}/proposals/${token}` };
}
