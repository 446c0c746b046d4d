import { ApiError, type ErrorCode, isErrorCode, raisedError, type RaisedField } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import { log } from "../runtime/log.ts";
import { DatabaseUnavailable, isBusy, isIdle, query, type Value } from "./database.ts";
import { UNKNOWN_OWNER } from "./fair_share.ts";
import { KnownCallers } from "./known_callers.ts";

export interface DoorCall {
  requestId: string;
  /** The credential as the gate read it (`Gate.readCredential` in http/call.ts). */
  credential: string;
  /** Where the call comes from (see client_address.ts); null if unknown. */
  address: string | null;
  /** The required scope or role; null: none, or the path or method is unknown. */
  scope: string | null;
  /**
   * Null: the request is invalid. Only run the gate and look up the idempotency key, because an error of the gate or a
   * replay takes precedence over the request's error.
   */
  verb: string | null;
  /** Null: only identify the caller, without counting the call. */
  args: Record<string, Json> | null;
  idempotency?: { key: string; requestHash: string } | undefined;
}

/** The SQL statement that authenticates the caller and runs the verb. */
export interface Door {
  readonly name: string;
  readonly text: string;
  values(call: DoorCall): readonly Value[];
  /** Whether a call may share a connection with others; by default it may not. */
  isShortRead?(call: DoorCall): boolean;
  /**
   * Error messages that name this kind of caller instead of a key. The scope is appended to the message of
   * insufficient_scope.
   */
  readonly messages?: Readonly<Partial<Record<ErrorCode, string>>>;
}

/** The state of a caller's rate limit (spec 8). `limit` and `remaining` are calls in 60 seconds. */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** The caller as far as it is known, and its rate limit. */
export interface Admission {
  /** The id of the key, of the link's proposal, or of the member. */
  callerId: string | null;
  workspaceId: string | null;
  /** False if the credential is unknown, or if the door refuses every call with it. */
  admitted: boolean;
  /** Null if the caller is unknown, or the call was not counted. */
  rate: RateLimit | null;
}

/** The result of a door: an error, or the verb's JSON text (null if no verb ran or the verb returned nothing). */
export interface DoorReply {
  admission: Admission;
  /** Whether a webhook delivery is waiting. */
  events: boolean;
  error: ApiError | null;
  body: string | null;
  /** Whether `body` is the stored reply to an earlier call with the same idempotency key; the status is then 200. */
  replayed: boolean;
  /** Whether an upsert found its record, now or in the replayed call: status 200 without `Location`. */
  found: boolean;
}

/** The columns of `api.reply` (13_door.sql). */
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

/** The errors with which a door refuses every call of an identified caller. */
const REFUSED = ["revoked_api_key", "workspace_suspended", "feature_disabled"];

const known = new KnownCallers();

/**
 * Runs a call in one SQL statement. If other calls run and this isolate does not know the caller, a first statement
 * identifies the caller, because the caller's workspace may already use its share of the connections. Returns
 * service_unavailable if the database is unavailable.
 */
export async function callDoor(door: Door, call: DoorCall): Promise<DoorReply> {
  const { credential } = call;
  try {
    const row = await checkFirst(door, call) ?? await send(door, call);
    return {
      admission: admissionOf(row),
      events: row.events,
      error: row.error_code === null ? null : errorOf(row.error_code, row.details, call, door),
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

/**
 * Runs a call's statement on one of the connections that the caller's workspace may use (fair_share.ts). Remembers an
 * admitted caller; after a cancelled call, remembers that the call must still be counted.
 */
async function send(door: Door, call: DoorCall): Promise<Row> {
  const { name, text } = door;
  const { credential } = call;
  const workspaceId = known.find(credential)?.workspaceId;
  // The keys of a workspace share its places, because a workspace can have any number of keys.
  const owner = workspaceId ??
    (call.args === null
      ? UNKNOWN_OWNER
      : () => identify(door, call).then((row) => row.workspace_id ?? undefined));
  try {
    const isShortRead = workspaceId !== undefined && door.isShortRead?.(call);
    const [row] = await query<Row>({ name, text, values: door.values(call), owner, isShortRead }) as [Row];
    rememberCaller(credential, row);
    return row;
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.wasCancelled && call.args !== null) {
      known.addDebt(credential);
    }
    throw error;
  }
}

/** Identifies the caller without counting the call. This is quick and waits for no lock. */
function identify(door: Door, call: DoorCall): Promise<Row> {
  return send(door, { ...call, verb: null, args: null, idempotency: undefined });
}

/**
 * Identifies an unknown caller if other calls run, or if earlier calls with its credential were cancelled. Counts those
 * cancelled calls.
 *
 * @returns the door's row if it refused the caller
 */
async function checkFirst(door: Door, call: DoorCall): Promise<Row | undefined> {
  const { credential } = call;
  if (call.args === null) return undefined;
  if (known.find(credential) === undefined && (known.owes(credential) || !isIdle())) {
    const row = await identify(door, call);
    if (!isAdmitted(row)) return row;
  }
  while (known.takeDebt(credential)) {
    // Without a verb the door only counts the call. If this statement is cancelled too, `send` notes the call again.
    const row = await send(door, { ...call, scope: null, verb: null, args: {}, idempotency: undefined });
    if (row.error_code !== null) return row;
  }
  return undefined;
}

/**
 * How much of a body may be read before the door has identified its sender: `all` for a caller who was admitted within
 * the last minute.
 *
 * @param flooded whether unknown callers call faster than they are answered; their bodies are then not read, because
 * waiting calls would hold the bodies in memory
 */
export function bodyAllowance(credential: string, flooded: boolean): "all" | "small" | "none" {
  if (known.isRecent(credential)) return "all";
  const mustWait = flooded || isBusy(UNKNOWN_OWNER);
  return mustWait && known.find(credential) === undefined ? "none" : "small";
}

/** The workspace of a caller who was admitted before in this isolate. */
export function workspaceOf(credential: string): string | undefined {
  return known.find(credential)?.workspaceId;
}

function isAdmitted({ caller_id, error_code }: Row): boolean {
  return caller_id !== null && !REFUSED.includes(error_code ?? "");
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

function errorOf(
  code: string,
  details: Row["details"],
  { requestId, verb, scope }: DoorCall,
  { messages }: Door,
): ApiError {
  if (!isErrorCode(code)) {
    // The verb raised a code that errors.ts does not list, so only the log shows it.
    log("unknown_error_code", { request_id: requestId, code, verb });
    return new ApiError("internal_error");
  }
  if (code === "insufficient_scope") {
    // If the key may not be used from the caller's network, the message is in the details (crm.elsewhere).
    const lacks = messages?.[code] ?? "A chave de API não tem o escopo";
    return new ApiError(code, undefined, details?.[0]?.message ?? `${lacks} "${scope}"`);
  }
  if (details === null && messages?.[code] !== undefined) {
    return new ApiError(code, undefined, messages[code]);
  }
  return raisedError(code, details);
}
