import { query } from "./database.ts";
import { ApiError, type ErrorCode, fieldMessage, isErrorCode } from "../contract/errors.ts";
import type { Json } from "../http/json_body.ts";

/** One request, as the database sees it. */
export interface DoorCall {
  /** SHA-256 of the key, in hex. */
  keyHash: string;
  /** Null where the path or method has none: then only the key, the account and the rate limit are looked at. */
  scope: string | null;
  /** Null when the answer is known already and only the gate comes first. */
  verb: string | null;
  args: Record<string, Json>;
  idempotency?: { key: string; requestHash: string } | undefined;
}

/** Where a caller stands in its window of 60 s (spec 8). */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** What a gate says of whoever knocks, let in or not. */
export interface Admission {
  workspaceId: string | null;
  /** Null where it is not known who calls. */
  rate: RateLimit | null;
  /** Whether a webhook delivery is waiting now. */
  events: boolean;
}

/** The columns that both gates have (migrations `door`, `proposal_links`). */
export interface AdmissionRow {
  workspace_id: string | null;
  rate_limit: number | null;
  rate_remaining: number;
  rate_reset: number;
  events: boolean;
}

/** The door's answer: an error, or the verb's JSON text (null where no verb was called or it returns nothing). */
export interface DoorReply extends Admission {
  keyId: string | null;
  refusal: ApiError | null;
  body: string | null;
  /** An earlier answer given again: status 200 whatever the endpoint's own is. */
  replayed: boolean;
}

interface Row extends AdmissionRow {
  refusal: string | null;
  details: { field: string; message: string | null }[] | null;
  body: string | null;
  replayed: boolean;
  key_id: string | null;
}

/** The statement that answers a request. */
export const CALL = `select * from api.call(decode($1, 'hex'), $2, $3, $4, $5, decode($6, 'hex'))`;

/**
 * Answers a request with one SQL statement (migration `door`).
 *
 * @throws {ApiError} service_unavailable when the database is away or too slow
 */
export async function callDoor(call: DoorCall): Promise<DoorReply> {
  const { keyHash, scope, verb, args, idempotency } = call;
  const [row] = await query<Row>({
    name: "api_call",
    text: CALL,
    owner: keyHash,
    values: [keyHash, scope, verb, JSON.stringify(args), idempotency?.key, idempotency?.requestHash],
  }) as [Row];
  return {
    ...admissionOf(row),
    keyId: row.key_id,
    refusal: row.refusal === null ? null : toError(row.refusal, row.details, call.scope),
    body: row.body,
    replayed: row.replayed,
  };
}

/** What a row of either gate says of who knocked. */
export function admissionOf(row: AdmissionRow): Admission {
  const { workspace_id, rate_limit, rate_remaining, rate_reset, events } = row;
  return {
    workspaceId: workspace_id,
    rate: rate_limit === null
      ? null
      : { limit: rate_limit, remaining: rate_remaining, resetSeconds: rate_reset },
    events,
  };
}

function toError(refusal: string, details: Row["details"], scope: string | null): ApiError {
  const code: ErrorCode = isErrorCode(refusal) ? refusal : "internal_error";
  return new ApiError(
    code,
    details?.map(({ field, message }) => ({ field, message: message ?? fieldMessage(code) })),
    code === "insufficient_scope" ? `A chave de API não tem o escopo "${scope}"` : undefined,
  );
}
