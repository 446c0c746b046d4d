import { ApiError, type FieldError, fieldMessage, isErrorCode } from "../contract/errors.ts";
import type { Json } from "../http/json_body.ts";
import { log } from "../runtime/log.ts";
import { DatabaseUnavailable, query } from "./database.ts";

/** The input of a door. */
export interface DoorCall {
  /** For the log. */
  requestId: string;
  /** SHA-256 of the key or token, in hex. */
  credential: string;
  /** Null for an unknown path or method, and for a gate without scopes. */
  scope: string | null;
  /** Null: run only the gate. The request is invalid, but the errors of the gate take precedence. */
  verb: string | null;
  args: Record<string, Json>;
  idempotency?: { key: string; requestHash: string } | undefined;
}

/** An SQL statement that authenticates the caller and runs the verb: a function of schema `api`. */
export interface Door {
  readonly name: string;
  readonly text: string;
  values(call: DoorCall): unknown[];
}

/** State of a caller's rate limit (spec 8). */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** The identified caller and the state of its rate limit. */
export interface Admission {
  /** The id of the key, or of the link's proposal. */
  callerId: string | null;
  workspaceId: string | null;
  /** Null if the caller is unknown, or the call was not counted. */
  rate: RateLimit | null;
}

/** The result of a door: an error, or the verb's JSON text (null if no verb ran or it returns nothing). */
export interface DoorReply {
  /** Null if the database is unavailable. */
  admission: Admission | null;
  /** Whether a webhook delivery is waiting. */
  events: boolean;
  error: ApiError | null;
  body: string | null;
  /** Whether `body` is the stored reply of an earlier call with the same idempotency key; its status is always 200. */
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

/** Runs a call in one SQL statement. An unavailable database is service_unavailable, as a value. */
export async function callDoor(door: Door, call: DoorCall): Promise<DoorReply> {
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
    const headers = error.retryAfter === undefined ? {} : { "Retry-After": String(error.retryAfter) };
    const unavailable = new ApiError("service_unavailable", undefined, undefined, headers);
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
    // A verb raised a code that errors.ts lacks. The client gets internal_error, so only the log can show which.
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
