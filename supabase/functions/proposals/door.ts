import { query } from "../_shared/postgres/database.ts";
import { type Admission, admissionOf, type AdmissionRow } from "../_shared/postgres/door.ts";
import { ApiError, isErrorCode } from "../_shared/contract/errors.ts";
import type { Json } from "../_shared/http/json_body.ts";

/** What a customer does to a proposal. */
export type Action = "view" | "accept" | "reject";

/** The door's answer: an error, or the proposal's JSON text (null where no action was asked for). */
export interface ProposalReply extends Admission {
  /** Null where nobody has the token. */
  proposalId: string | null;
  refusal: ApiError | null;
  body: string | null;
}

interface Row extends AdmissionRow {
  refusal: string | null;
  body: string | null;
  proposal_id: string | null;
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
    ...admissionOf(row),
    proposalId: row.proposal_id,
    refusal: row.refusal === null
      ? null
      : new ApiError(isErrorCode(row.refusal) ? row.refusal : "internal_error"),
    body: row.body,
  };
}
