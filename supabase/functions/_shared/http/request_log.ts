import { ApiError } from "../contract/errors.ts";
import { query } from "../postgres/database.ts";
import { inBackground } from "../runtime/background.ts";
import { log } from "../runtime/log.ts";
import { isUuid } from "../runtime/uuid.ts";
import type { Call } from "./call.ts";
import type { Outcome } from "./outcome.ts";

/** Milliseconds for which requests are collected before they are written. */
const COLLECT_MS = 1_000;
/** When this many requests wait, they are written at once. */
const FULL = 100;
/** Maximum requests that wait, for example while the database is down. Beyond this number the oldest is dropped. */
const MAX_WAITING = 500;
/** Maximum characters of an error in the log. A longer error keeps only its first details. */
const MAX_ERROR = 16_384;
const KEPT_DETAILS = 5;

interface Entry {
  workspaceId: string;
  keyId: string;
  requestId: string;
  method: string;
  url: string;
  params: Call["params"];
  status: number;
  /** The body of the reply; null if the status is below 400. */
  error: string | null;
  started: number;
  ended: number;
}

let waiting: Entry[] = [];
/** The keys that have a 429 among the waiting requests. */
const limited = new Set<string>();
let dropped = 0;
/** Ends the pause before the next statement; null if there is no pause now. */
let writeNow: (() => void) | null = null;
let isRunning = false;

/**
 * Queues a request with a valid key for the log (crm.requests). If a key gets several 429 in a second, only the first
 * is written, because a client can cause any number of them.
 *
 * @param body the body of the reply
 */
export function logRequest(call: Call, { admission, result }: Outcome, body: string | null): void {
  if (call.gateName !== "key" || !admission?.admitted) return;
  const { callerId, workspaceId } = admission;
  if (callerId === null || workspaceId === null) return;
  if (result.status === 429) {
    if (limited.has(callerId)) return;
    limited.add(callerId);
  }
  if (waiting.length >= MAX_WAITING) {
    waiting.shift();
    dropped++;
  }
  waiting.push({
    workspaceId,
    keyId: callerId,
    requestId: call.id,
    method: call.method,
    url: call.request.url,
    params: call.params,
    status: result.status,
    error: result instanceof ApiError && result.status >= 400 ? body : null,
    started: call.started,
    ended: performance.now(),
  });
  if (!isRunning) inBackground(writeAll());
  else if (waiting.length >= FULL) writeNow?.();
}

/** Writes the waiting requests, one statement after the other, until none waits. */
async function writeAll(): Promise<void> {
  isRunning = true;
  while (waiting.length > 0) {
    if (waiting.length < FULL) await pause();
    const entries = waiting;
    waiting = [];
    limited.clear();
    await write(entries);
  }
  isRunning = false;
}

/** Waits for {@link COLLECT_MS}, or until {@link FULL} requests wait. */
async function pause(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, COLLECT_MS);
  writeNow = resolve;
  await promise;
  writeNow = null;
  clearTimeout(timer);
}

/** Writes entries with one statement. Entries that cannot be written are dropped. */
async function write(entries: readonly Entry[]): Promise<void> {
  try {
    const rows = JSON.stringify(entries.map(rowOf));
    await query({ name: "log_requests", text: "select crm.log_requests($1)", values: [rows] });
  } catch (error) {
    dropped += entries.length;
    log("request_log_failed", { error: String(error) });
  }
  if (dropped === 0) return;
  log("request_log_dropped", { count: dropped });
  dropped = 0;
}

function rowOf({ workspaceId, keyId, requestId, method, url, params, status, error, started, ended }: Entry) {
  return {
    workspace_id: workspaceId,
    key_id: keyId,
    request_id: requestId,
    age_ms: Math.round(performance.now() - started),
    method: method.slice(0, 20),
    path: describePath(url, params),
    status,
    error: error === null ? undefined : describeError(error),
    duration_ms: Math.round(ended - started),
  };
}

/** Matches the parts of a path that are logged besides ids. Others are hidden, because they may be values. */
const WORD = /^[a-z][a-z0-9-]{0,39}$/;
/** Matches the names of parameters and fields that are logged. Others are hidden: they may be misplaced values. */
const NAME = /^[\w.[\]-]{1,100}$/;
const HIDDEN = "…";
const MAX_PARTS = 20;

/**
 * The path with ids and the names of the query's parameters, without values: `/api-v1-contacts?email&limit`. A
 * malformed id is shown as `:id`.
 */
export function describePath(url: string, params: Call["params"]): string {
  // `new URL` would throw if the Host header is invalid.
  const [path = "", query = ""] = url.slice(url.indexOf("/", url.indexOf("//") + 2)).split("?", 2);
  const parts = path.split("/").slice(0, MAX_PARTS).map((part) => {
    if (part === "" || isUuid(part)) return part;
    if (Object.values(params).includes(part)) return ":id";
    return WORD.test(part) ? part : HIDDEN;
  });
  const shown = parts.join("/").replace(/\/$/, "");
  if (query === "") return shown;
  const names = [...new Set(new URLSearchParams(query).keys())].slice(0, MAX_PARTS);
  return `${shown}?${names.map(showName).join("&")}`;
}

function showName(name: string): string {
  return NAME.test(name) ? name : HIDDEN;
}

interface ErrorBody {
  error: { code: string; message: string; details?: { field: string; message: string }[] };
}

/** The error in a reply, without values that the client sent. */
export function describeError(body: string): ErrorBody["error"] {
  const { error } = JSON.parse(body) as ErrorBody;
  const { details } = error;
  if (details === undefined) return error;
  const kept = body.length > MAX_ERROR ? details.slice(0, KEPT_DETAILS) : details;
  return {
    ...error,
    details: kept.map((detail) => ({
      ...detail,
      field: detail.field === "" ? "" : showName(detail.field),
      // Messages that quote a sent value begin with that value (`several` in pagination.ts).
      message: detail.message.replace(/^".*" não é/s, `"${HIDDEN}" não é`),
    })),
  };
}
