import { query } from "./database.ts";
import { ApiError, type ErrorCode, fieldMessage, isErrorCode } from "./errors.ts";
import type { Json } from "./json_body.ts";

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

/** What the gate said of the caller: for headers and the log. */
export interface Caller {
  keyId: string | null;
  workspaceId: string | null;
  rate: { limit: number; remaining: number; resetSeconds: number } | null;
}

/** The door's answer: an error, or the verb's JSON text (null where no verb was called or it returns nothing). */
export interface DoorReply {
  caller: Caller;
  refusal: ApiError | null;
  body: string | null;
  /** An earlier answer given again: status 200 whatever the endpoint's own is. */
  replayed: boolean;
  /** Whether a webhook delivery is waiting now. */
  events: boolean;
}

interface Row {
  refusal: string | null;
  details: { field: string; message: string | null }[] | null;
  body: string | null;
  replayed: boolean;
  events: boolean;
  key_id: string | null;
  workspace_id: string | null;
  rate_limit: number | null;
  rate_remaining: number;
  rate_reset: number;
}

const CALL = `select * from api.call(decode($1, 'hex'), $2, $3, $4, $5, decode($6, 'hex'))`;

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
    caller: {
      keyId: row.key_id,
      workspaceId: row.workspace_id,
      rate: row.rate_limit === null
        ? null
        : { limit: row.rate_limit, remaining: row.rate_remaining, resetSeconds: row.rate_reset },
    },
    refusal: row.refusal === null ? null : toError(row.refusal, row.details, call.scope),
    body: row.body,
    replayed: row.replayed,
    events: row.events,
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
