import { query } from "../_shared/database.ts";
import type { Caller } from "../_shared/door.ts";
import { ApiError, isErrorCode } from "../_shared/errors.ts";
import type { Json } from "../_shared/json_body.ts";

/** What a customer does to a proposal. */
export type Action = "view" | "accept" | "reject";

/** The door's answer: an error, or the proposal's JSON text (null where no action was asked for). */
export interface ProposalReply {
  /** Null where nobody has the token. */
  proposalId: string | null;
  workspaceId: string | null;
  rate: Caller["rate"];
  refusal: ApiError | null;
  body: string | null;
  /** Whether a webhook delivery is waiting now. */
  events: boolean;
}

interface Row {
  refusal: string | null;
  body: string | null;
  events: boolean;
  proposal_id: string | null;
  workspace_id: string | null;
  rate_limit: number | null;
  rate_remaining: number;
  rate_reset: number;
}

/**
 * Answers a request to a public link with one SQL statement (migration `proposal_links`).
 *
 * @param tokenHash SHA-256 of the token, in hex
 * @param action null when the answer is known already and only the gate comes first
 * @throws {ApiError} service_unavailable when the database is away or too slow
 */
export async function openProposal(
  tokenHash: string,
  action: Action | null,
  args: Record<string, Json>,
): Promise<ProposalReply> {
  const [row] = await query<Row>({
    name: "api_proposal_open",
    text: "select * from api.proposal_open(decode($1, 'hex'), $2, $3)",
    values: [tokenHash, action, JSON.stringify(args)],
    owner: tokenHash,
  }) as [Row];
  return {
    proposalId: row.proposal_id,
    workspaceId: row.workspace_id,
    rate: row.rate_limit === null
      ? null
      : { limit: row.rate_limit, remaining: row.rate_remaining, resetSeconds: row.rate_reset },
    refusal: row.refusal === null
      ? null
      : new ApiError(isErrorCode(row.refusal) ? row.refusal : "internal_error"),
    body: row.body,
    events: row.events,
  };
}
