import { ApiError, type FieldError, fieldMessage, isErrorCode } from "../contract/errors.ts";
import type { Gate } from "../http/gates.ts";
import type { Json } from "../http/json_body.ts";
import { log } from "../runtime/log.ts";
import { DatabaseUnavailable, query } from "./database.ts";

/** One call, as the database sees it. */
export interface DoorCall {
  /** For the log. */
  requestId: string;
  /** SHA-256 of what the caller shows, in hex. */
  credential: string;
  /** Null where the path or method has none, or the gate knows no scopes. */
  scope: string | null;
  /** Null: the call has an error already, which comes after those of the gate, so that only the gate is asked. */
  verb: string | null;
  args: Record<string, Json>;
  idempotency?: { key: string; requestHash: string } | undefined;
}

/** What is left of a caller's 60 s (spec 8). */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Who called, and what is left of its rate limit. */
export interface Admission {
  /** Of the key, or of the link's proposal. */
  callerId: string | null;
  workspaceId: string | null;
  /** Null where it is not known who calls, or the call was not counted. */
  rate: RateLimit | null;
}

/** What a door answers: an error, or the verb's JSON text (null where no verb was called or it returns nothing). */
export interface DoorReply {
  /** Null where the database could not be asked. */
  admission: Admission | null;
  /** Whether a webhook delivery waits now. */
  events: boolean;
  error: ApiError | null;
  body: string | null;
  /** An earlier reply again: status 200 whatever the endpoint's own is. */
  replayed: boolean;
}

/** The columns of `api.reply` (migration `door`). */
interface Row {
  error_code: string | null;
  details: { field: string; message: string | null }[] | null;
  body: string | null;
  replayed: boolean;
  events: boolean;
  caller_id: string | null;
  workspace_id: string | null;
  rate_limit: number | null;
  rate_remaining: number;
  rate_reset: number;
}

/** Answers a call with one SQL statement, that of its gate. */
export async function callDoor({ door }: Gate, call: DoorCall): Promise<DoorReply> {
  const { name, text } = door;
  const statement = { name, text, values: door.values(call), owner: call.credential };
  try {
    const [row] = await query<Row>(statement) as [Row];
    return {
      admission: admissionOf(row),
      events: row.events,
      error: row.error_code === null ? null : errorOf(row.error_code, row.details, call),
      body: row.body,
      replayed: row.replayed,
    };
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const unavailable = new ApiError("service_unavailable");
    return { admission: null, events: false, error: unavailable, body: null, replayed: false };
  }
}

function admissionOf({ caller_id, workspace_id, rate_limit, rate_remaining, rate_reset }: Row): Admission {
  return {
    callerId: caller_id,
    workspaceId: workspace_id,
    rate: rate_limit === null
      ? null
      : { limit: rate_limit, remaining: rate_remaining, resetSeconds: rate_reset },
  };
}

function errorOf(code: string, details: Row["details"], { requestId, verb, scope }: DoorCall): ApiError {
  if (!isErrorCode(code)) {
    // A verb raises a code that errors.ts lacks: without this line nobody would learn which.
    log("unknown_error_code", { request_id: requestId, code, verb });
    return new ApiError("internal_error");
  }
  if (code === "insufficient_scope") {
    return new ApiError(code, undefined, `A chave de API não tem o escopo "${scope}"`);
  }
  const fields = details?.map(({ field, message }): FieldError => ({
    field,
    message: message ?? fieldMessage(code),
  }));
  return new ApiError(code, fields);
}
