import { type Endpoint, takesQuery } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import { hashRequest, readIdempotencyKey } from "./idempotency.ts";
import { type Json, type JsonBody, parseJsonBody } from "./json_body.ts";
import type { Call } from "./outcome.ts";
import { validateBody, validateQuery } from "./validation.ts";

/** A call that passed validation. */
export interface Input {
  readonly verb: string | null;
  /** Arguments of the verb. */
  readonly args: Record<string, Json>;
  /** Names of unknown fields in the body, for `X-Ignored-Fields`. */
  readonly ignored: string[];
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
 * order: invalid_idempotency_key, not_found, that of reading the body, the endpoint's `malformed` code,
 * validation_error.
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
  const requestHash = hashRequest(call.resource, valid ? json.value : body);
  return { input, idempotency: { key, requestHash } };
}

async function validate(
  call: Call,
  endpoint: Endpoint,
  json: JsonBody | ApiError,
): Promise<Input | ApiError> {
  const { request, params: { id, delivery_id } } = call;
  const ids = { ...(id !== undefined && { id }), ...(delivery_id !== undefined && { delivery_id }) };
  if (!Object.values(ids).every(isUuid)) return new ApiError("not_found");
  if (json instanceof ApiError) return json;
  const query = takesQuery(endpoint) ? validateQuery(endpoint.query, queryOf(request.url)) : {};
  if (query instanceof ApiError) return query;
  const body = endpoint.body ? validateBody(endpoint.body, json) : { args: {}, ignored: [] };
  if (body instanceof ApiError) return body;

  const prepared = await endpoint.prepare?.(body.args as never, ids);
  return {
    verb: endpoint.verb,
    args: { ...(prepared?.args ?? body.args), ...query, ...ids },
    ignored: body.ignored,
    reveal: prepared?.reveal,
  };
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
