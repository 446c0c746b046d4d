import { ApiError, malformedId } from "../contract/errors.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { DEFAULT_BODY_LIMITS, type PathParams } from "../contract/declaration.ts";
import type { BodyReading, RouteEntry } from "../contract/route_table.ts";
import { loadOnce } from "../runtime/load_once.ts";
import { isUuid } from "../runtime/uuid.ts";
import { hashRequest, readIdempotencyKey } from "./idempotency.ts";
import { type JsonBody, parseJsonBody } from "./json_body.ts";
import type { Call } from "./call.ts";
import { appliedHeader, readPreferences } from "./preference.ts";
import type { ValidInput } from "./valid_input.ts";
import { readIfMatch } from "./version.ts";

export interface Input extends ValidInput {
  /** Headers to add to the reply if the call succeeds. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The input of a call, and its idempotency key. An invalid call has an idempotency key too, because a replay or a
 * conflict takes precedence over the input's error.
 */
export interface Reading {
  readonly input: Input | ApiError;
  readonly idempotency?: { key: string; requestHash: string } | undefined;
}

/** Loads zod and the rules built on it, which only calls with parameters or a body need. */
const loadValidation = loadOnce(() => import("./valid_input.ts"));

/**
 * Reads the idempotency key, and validates path, body and query. Of several errors it returns the first in this order:
 * invalid_idempotency_key, not_found (malformed id), bad_request (`If-Match`), the error from reading the body, the
 * endpoint's `malformed` code, validation_error.
 *
 * @param body the bytes, or the error from reading them; null for an endpoint without a body
 * @param load loads the endpoint with its schemas; called only if they are needed
 * @param findWorkspace finds the caller's workspace, for `prepare`
 */
export async function readInput(
  call: Call,
  entry: RouteEntry,
  body: Uint8Array | ApiError | null,
  load: () => Promise<Endpoint>,
  findWorkspace: () => Promise<string>,
): Promise<Reading> {
  const key = entry.idempotent ? readIdempotencyKey(call.request.headers) : null;
  if (key instanceof ApiError) return { input: key };
  const json = body instanceof Uint8Array ? await parseBody(body, entry.body!) : body ?? EMPTY;
  const read = entry.takesQuery ?? (entry.method === "GET" ? null : "dry_run");
  const query = read === null ? "" : queryOf(call.request.url, read);
  const input = await validate(call, entry, json, query, load, findWorkspace);
  // A body that could not be read has no hash, so its error is returned without looking up the key.
  if (key === null || !(body instanceof Uint8Array)) return { input };
  // The hash covers the query, because `match_by` and `dry_run` change what the call does.
  const operation = entry.operation + (query === "" ? "" : `?${new URLSearchParams(query)}`);
  const valid = !(json instanceof ApiError) && json.fieldErrors.length === 0;
  return { input, idempotency: { key, requestHash: hashRequest(operation, valid ? json.value : body) } };
}

async function validate(
  { request, params }: Call,
  { etag, body, emptyArgs, emptyErrors, prefersRepresentation }: RouteEntry,
  json: JsonBody | ApiError,
  query: string,
  load: () => Promise<Endpoint>,
  findWorkspace: () => Promise<string>,
): Promise<Input | ApiError> {
  const ids = Object.fromEntries(
    PATH_IDS.flatMap((name) => params[name] === undefined ? [] : [[name, params[name]]]),
  );
  if (!Object.values(ids).every(isUuid)) return malformedId;
  const ifMatch = etag && request.method === "PATCH" ? readIfMatch(request) : null;
  if (ifMatch instanceof ApiError) return ifMatch;
  if (json instanceof ApiError) return json;
  const preferences = readPreferences(request.headers);
  const strict = body !== undefined && preferences.strict;
  const representation = prefersRepresentation === true && preferences.representation;
  const headers = appliedHeader({ strict, representation });
  const named = {
    ...ids,
    ...(ifMatch && { if_match: ifMatch }),
    ...(representation && { prefer: "representation" }),
  };
  if (emptyArgs && json === EMPTY && query === "") {
    return { args: { ...emptyArgs, ...named }, sent: json.value, ignored: [], headers };
  }
  if (emptyErrors && query === "") return new ApiError("validation_error", [...emptyErrors]);
  const [{ validateInput }, endpoint] = await Promise.all([loadValidation(), load()]);
  const valid = await validateInput(endpoint, json, new URLSearchParams(query), {
    strict,
    ids,
    findWorkspace,
  });
  if (valid instanceof ApiError) return valid;
  return { ...valid, args: { ...valid.args, ...named }, headers };
}

const PATH_IDS = ["id", "delivery_id", "contact_id"] as const satisfies readonly (keyof PathParams)[];

/** Stands for an absent body. */
const EMPTY: JsonBody = { value: {}, fieldErrors: [] };

async function parseBody(
  bytes: Uint8Array,
  { optional, malformed = "bad_request", limits = DEFAULT_BODY_LIMITS }: BodyReading,
): Promise<JsonBody | ApiError> {
  return await parseJsonBody(bytes, malformed, limits.values) ?? (optional ? EMPTY : new ApiError(malformed));
}

/**
 * The URL's query, or only the parameter that `read` names. `new URL` would throw for an invalid Host header, which
 * Deno makes a part of the URL.
 */
function queryOf(url: string, read: true | "expand" | "dry_run"): string {
  const start = url.indexOf("?");
  const query = start === -1 ? "" : url.slice(start + 1);
  if (read === true || query === "") return query;
  return String(new URLSearchParams(new URLSearchParams(query).getAll(read).map((value) => [read, value])));
}
