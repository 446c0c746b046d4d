import { type Endpoint, takesQuery } from "../contract/endpoint.ts";
import { ApiError, malformedId } from "../contract/errors.ts";
import { validateBatch } from "./batch_items.ts";
import { hashRequest, readIdempotencyKey } from "./idempotency.ts";
import { prefersStrict, STRICT_APPLIED } from "./preference.ts";
import { type Json, type JsonBody, parseJsonBody } from "./json_body.ts";
import type { Call } from "./outcome.ts";
import { validateBody, validateQuery, type ValidBody } from "./validation.ts";
import { readIfMatch } from "./version.ts";

/** A call that passed validation. */
export interface Input {
  readonly verb: string | null;
  /** Arguments of the verb. */
  readonly args: Record<string, Json>;
  /** The body's fields, as they were validated. */
  readonly sent: Record<string, Json>;
  /** Names of unknown fields in the body, for `X-Ignored-Fields`. */
  readonly ignored: string[];
  /** Headers of the reply, if the call succeeds. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields to add to the reply; see `prepare`. */
  readonly reveal?: Record<string, unknown> | undefined;
}

/** What a call asks for. An invalid call has an idempotency key too: a replay and a conflict precede its own error. */
export interface Reading {
  readonly input: Input | ApiError;
  readonly idempotency?: { key: string; requestHash: string } | undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version, in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Reads the idempotency key, and validates the path, the body and the query. The input is the first error, in this
 * order: invalid_idempotency_key, not_found, bad_request for `If-Match`, that of reading the body, the endpoint's
 * `malformed` code, validation_error.
 *
 * @param body the bytes, or the error of reading them; null for an endpoint without a body
 */
export async function readInput(
  call: Call,
  endpoint: Endpoint,
  body: Uint8Array | ApiError | null,
): Promise<Reading> {
  const key = endpoint.idempotent ? readIdempotencyKey(call.request.headers) : null;
  if (key instanceof ApiError) return { input: key };
  const json = body === null || body instanceof ApiError ? body : parseBody(body, endpoint);
  const input = await validate(call, endpoint, json ?? EMPTY);
  // Without its bytes a body has no hash, so its own error is all that can be said.
  if (key === null || body === null || body instanceof ApiError) return { input };
  const valid = json !== null && !(json instanceof ApiError) && json.fieldErrors.length === 0;
  const requestHash = hashRequest(operationOf(call, endpoint), valid ? json.value : body);
  return { input, idempotency: { key, requestHash } };
}

/** What the body was sent for. Of an upsert the query is part of it: the body does not say by what it looks. */
function operationOf({ request }: Call, endpoint: Endpoint): string {
  const query = takesQuery(endpoint) ? `?${queryOf(request.url)}` : "";
  return endpoint.operation + query;
}

async function validate(
  call: Call,
  endpoint: Endpoint,
  json: JsonBody | ApiError,
): Promise<Input | ApiError> {
  const { request, params: { id, delivery_id } } = call;
  const ids = { ...(id !== undefined && { id }), ...(delivery_id !== undefined && { delivery_id }) };
  if (!Object.values(ids).every(isUuid)) return malformedId;
  const ifMatch = endpoint.etag && request.method === "PATCH" ? readIfMatch(request) : null;
  if (ifMatch instanceof ApiError) return ifMatch;
  if (json instanceof ApiError) return json;
  const query = takesQuery(endpoint) ? validateQuery(endpoint.query, queryOf(request.url)) : {};
  if (query instanceof ApiError) return query;
  const strict = endpoint.body !== undefined && prefersStrict(request.headers);
  const body = validateInput(endpoint, json, { strict });
  if (body instanceof ApiError) return body;

  const prepared = await endpoint.prepare?.(body.args as never, ids);
  return {
    verb: endpoint.verb,
    args: { ...(prepared?.args ?? body.args), ...query, ...ids, ...(ifMatch && { if_match: ifMatch }) },
    sent: body.args,
    ignored: body.ignored,
    headers: strict ? STRICT_APPLIED : {},
    reveal: prepared?.reveal,
  };
}

function validateInput(
  { body, operations }: Endpoint,
  json: JsonBody,
  options: { strict: boolean },
): ValidBody | ApiError {
  if (operations !== undefined) return validateBatch(operations, json, options);
  return body ? validateBody(body, json, options) : { args: {}, ignored: [] };
}

const EMPTY: JsonBody = { value: {}, fieldErrors: [] };

function parseBody(
  bytes: Uint8Array,
  { bodyOptional, malformed, bodyLimits }: Endpoint,
): JsonBody | ApiError {
  return parseJsonBody(bytes, malformed, bodyLimits.values) ??
    (bodyOptional ? EMPTY : new ApiError(malformed));
}

/**
 * Parses only the query of the URL: the Host header, from which Deno builds the rest, may be invalid and break `URL`.
 */
function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start));
}
