import type { ISql, Sql } from "postgres";
import { hashCredential } from "../supabase/functions/_shared/contract/credentials.ts";
import { OperationError, unknownId } from "./operation_error.ts";
import { randomToken } from "./random_token.ts";
import { requireWorkspace } from "./require_workspace.ts";

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

/** A proposal as its events tell of it; moments are ISO 8601. */
export interface Proposal {
  id: string;
  workspace_id: string;
  deal_id: string;
  title: string;
  value: number | null;
  recurring_value: number | null;
  status: "rascunho" | "enviada" | "visualizada" | "aceita" | "recusada" | "expirada";
  sent_at: string | null;
  viewed_at: string | null;
  accepted_at: string | null;
  rejected_at: string | null;
  rejection_reason: string | null;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}

/**
 * Makes a draft, which nobody but its workspace sees until it is sent.
 * @throws OperationError where there is no such deal.
 */
export async function createProposal(sql: ISql, input: NewProposal): Promise<{ id: string }> {
  const { dealId, title, value, recurringValue, expiresAt } = input;
  const [created] = await sql<{ id: string }[]>`
    insert into crm.proposals (workspace_id, deal_id, title, value, recurring_value, expires_at)
    select
      d.workspace_id, d.id, ${title}, ${value ?? null}::numeric, ${recurringValue ?? null}::numeric,
      ${expiresAt ?? null}::timestamptz
    from crm.deals d
    where d.id = ${dealId}
    returning id
  `;
  if (!created) throw unknownId("deal", dealId);
  return created;
}

/**
 * Gives a proposal its public link. The token is in this answer and nowhere else: only its hash is kept. Sending again
 * makes another link, and the one before stops working.
 * @param functionsUrl Where the functions are: `<origin>/functions/v1`.
 * @throws OperationError where there is no such proposal, or it was answered or has expired.
 */
export function sendProposal(
  sql: Sql,
  id: string,
  functionsUrl: string,
): Promise<{ id: string; url: string }> {
  const token = randomToken();
  return sql.begin(async (sql) => {
    const [proposal] = await sql<{ workspace_id: string; status: Proposal["status"] }[]>`
      select p.workspace_id, crm.proposal_status(p) as status from crm.proposals p where p.id = ${id}
      for no key update
    `;
    if (!proposal) throw unknownId("proposal", id);
    const { workspace_id, status } = proposal;
    if (status === "expirada") throw new OperationError("The proposal has expired: make another");
    if (status === "aceita" || status === "recusada") {
      throw new OperationError(`The proposal was answered already (${status}), for good: make another`);
    }
    await sql`update crm.proposals set status = 'enviada' where id = ${id} and status = 'rascunho'`;
    await sql`
      insert into crm.proposal_links (workspace_id, proposal_id, token_hash)
      values (${workspace_id}, ${id}, decode(${hashCredential(token)}, 'hex'))
      on conflict (workspace_id, proposal_id) do update
        set token_hash = excluded.token_hash, created_at = excluded.created_at
    `;
    return { id, url: `${functionsUrl}/proposals/${token}` };
  });
}

/**
 * The proposals of a workspace, newest first; never their links.
 * @throws OperationError where there is no such workspace.
 */
export async function listProposals(sql: ISql, workspaceId: string): Promise<Proposal[]> {
  await requireWorkspace(sql, workspaceId);
  const rows = await sql<{ proposal: Proposal }[]>`
    select crm.proposal_json(p) as proposal from crm.proposals p
    where p.workspace_id = ${workspaceId}
    order by p.id desc
  `;
  return rows.map(({ proposal }) => proposal);
}
