import { ApiError, isErrorCode, raisedError, type RaisedField } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import { log } from "../runtime/log.ts";
import { DatabaseUnavailable, isBusy, isIdle, query, type Value } from "./database.ts";
import { UNKNOWN_OWNER } from "./fair_share.ts";
import { KnownCallers } from "./known_callers.ts";

/** The input of a door. */
export interface DoorCall {
  /** For the log. */
  requestId: string;
  /** SHA-256 of the key or token, in hex. */
  credential: string;
  /** Null for an unknown path or method, and for a gate without scopes. */
  scope: string | null;
  /** Null: run only the gate and the idempotency key, whose errors take precedence over those of an invalid request. */
  verb: string | null;
  /** Null: only identify the caller; the call is not counted. */
  args: Record<string, Json> | null;
  idempotency?: { key: string; requestHash: string } | undefined;
}

/** An SQL statement that authenticates the caller and runs the verb: a function of schema `api`. */
export interface Door {
  readonly name: string;
  readonly text: string;
  values(call: DoorCall): readonly Value[];
}

/** State of a caller's rate limit (spec 8). */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** The caller, as far as it is known, and the state of its rate limit. */
export interface Admission {
  /** The id of the key, or of the link's proposal. */
  callerId: string | null;
  workspaceId: string | null;
  /** False for a credential that is unknown, or no longer admits anybody. */
  admitted: boolean;
  /** Null if the caller is unknown, or the call was not counted. */
  rate: RateLimit | null;
}

/** The result of a door: an error, or the verb's JSON text (null if no verb ran or it returns nothing). */
export interface DoorReply {
  admission: Admission;
  /** Whether a webhook delivery is waiting. */
  events: boolean;
  error: ApiError | null;
  body: string | null;
  /** Whether `body` is the stored reply of an earlier call with the same idempotency key; its status is always 200. */
  replayed: boolean;
  /** Whether an upsert found its record, now or in the call that is replayed: the status is 200, and no address is new. */
  found: boolean;
}

/** The columns of `api.reply` (migration `door`). */
interface Row {
  error_code: string | null;
  details: RaisedField[] | null;
  body: string | null;
  replayed: boolean;
  found: boolean;
  events: boolean;
  caller_id: string | null;
  workspace_id: string | null;
  rate_limit: number | null;
  rate_remaining: number;
  rate_reset: number;
}

/** The errors by which a door turns an identified caller away, whatever it asks for. */
const TURNED_AWAY = ["revoked_api_key", "workspace_suspended", "feature_disabled"];

const known = new KnownCallers();

/**
 * Runs a call in one SQL statement. A caller whom this isolate does not know is identified by a statement of its own first,
 * if other calls run: it might be one more of a workspace that has its share of the connections. An unavailable database
 * is service_unavailable, as a value.
 */
export async function callDoor(door: Door, call: DoorCall): Promise<DoorReply> {
  const { credential } = call;
  try {
    const row = await turnAway(door, call) ?? await send(door, call);
    return {
      admission: admissionOf(row),
      events: row.events,
      error: row.error_code === null ? null : errorOf(row.error_code, row.details, call),
      body: row.body,
      replayed: row.replayed,
      found: row.found,
    };
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const headers = error.retryAfter === undefined ? {} : { "Retry-After": String(error.retryAfter) };
    const unavailable = new ApiError("service_unavailable", undefined, undefined, headers);
    const caller = known.find(credential);
    const admission = {
      callerId: null,
      workspaceId: null,
      ...caller,
      admitted: caller !== undefined,
      rate: null,
    };
    return { admission, events: false, error: unavailable, body: null, replayed: false, found: false };
  }
}

/** Runs a call's statement in a place of the caller's workspace. Remembers whom it admitted, or a count that was lost. */
async function send(door: Door, call: DoorCall): Promise<Row> {
  const { name, text } = door;
  const { credential } = call;
  // Keys of one workspace share its places: a workspace can have any number of keys.
  const owner = known.find(credential)?.workspaceId ??
    (call.args === null
      ? UNKNOWN_OWNER
      : () => identify(door, call).then((row) => row.workspace_id ?? undefined));
  try {
    const [row] = await query<Row>({ name, text, values: door.values(call), owner }) as [Row];
    rememberCaller(credential, row);
    return row;
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.wasCancelled && call.args !== null) {
      known.addDebt(credential);
    }
    throw error;
  }
}

/** Asks only who calls, which neither waits for a lock nor takes long. */
function identify(door: Door, call: DoorCall): Promise<Row> {
  return send(door, { ...call, verb: null, args: null, idempotency: undefined });
}

/**
 * Identifies an unknown caller where that cannot wait, and counts the calls that were cancelled.
 *
 * @returns the error by which that turned the caller away
 */
async function turnAway(door: Door, call: DoorCall): Promise<Row | undefined> {
  const { credential } = call;
  if (call.args === null) return undefined;
  if (known.find(credential) === undefined && (known.owes(credential) || !isIdle())) {
    const row = await identify(door, call);
    if (!isAdmitted(row)) return row;
  }
  while (known.takeDebt(credential)) {
    // Without a verb, a call is counted and nothing else. If this is cancelled too, the debt is noted again.
    const row = await send(door, { ...call, scope: null, verb: null, args: {}, idempotency: undefined });
    if (row.error_code !== null) return row;
  }
  return undefined;
}

/**
 * How much of a body may be read before the door has identified its sender: all of it for a caller who was admitted
 * within the last minute.
 *
 * @param flooded whether strangers call faster than they are answered: their bodies, read and parsed while they wait,
 *  would take memory and processor from the others
 */
export function bodyAllowance(credential: string, flooded: boolean): "all" | "small" | "none" {
  if (known.isRecent(credential)) return "all";
  const mustWait = flooded || isBusy(UNKNOWN_OWNER);
  return mustWait && known.find(credential) === undefined ? "none" : "small";
}

function isAdmitted({ caller_id, error_code }: Row): boolean {
  return caller_id !== null && !TURNED_AWAY.includes(error_code ?? "");
}

function rememberCaller(credential: string, row: Row): void {
  const { caller_id, workspace_id, error_code } = row;
  if (caller_id === null || workspace_id === null || !isAdmitted(row)) {
    known.forget(credential);
  } else {
    const caller = { callerId: caller_id, workspaceId: workspace_id };
    known.remember(credential, caller, error_code !== "rate_limited");
  }
}

function admissionOf(row: Row): Admission {
  const { caller_id, workspace_id, rate_limit, rate_remaining, rate_reset } = row;
  return {
    callerId: caller_id,
    workspaceId: workspace_id,
    admitted: isAdmitted(row),
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
  return raisedError(code, details);
}
