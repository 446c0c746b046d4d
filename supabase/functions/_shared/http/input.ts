import { type Endpoint, takesQuery } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import { hashRequest, readIdempotencyKey } from "./idempotency.ts";
import { type Json, type JsonBody, readJsonBody } from "./json_body.ts";
import type { Call } from "./outcome.ts";
import { validateBody, validateQuery } from "./validation.ts";

/** A call that passed validation. */
export interface Input {
  readonly endpoint: Endpoint;
  readonly verb: string | null;
  /** Arguments of the verb. */
  readonly args: Record<string, Json>;
  readonly idempotency?: { key: string; requestHash: string } | undefined;
  /** Names of unknown fields in the body, for `X-Ignored-Fields`. */
  readonly ignored: string[];
  /** Fields to add to the reply; see `prepare`. */
  readonly reveal?: Record<string, unknown> | undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Reads and validates the path, the body, the query and the idempotency key. Returns the first error, in this order:
 * not_found, the endpoint's `malformed` code, payload_too_large, validation_error, invalid_idempotency_key.
 */
export async function readInput(call: Call, endpoint: Endpoint): Promise<Input | ApiError> {
  const { request, params: { id } } = call;
  if (id !== undefined && !UUID.test(id)) return new ApiError("not_found");

  const json = await readBody(request, endpoint);
  if (json instanceof ApiError) return json;
  const query = takesQuery(endpoint) ? validateQuery(endpoint.query, queryOf(request.url)) : {};
  if (query instanceof ApiError) return query;
  const body = endpoint.body ? validateBody(endpoint.body, json) : { args: {}, ignored: [] };
  if (body instanceof ApiError) return body;
  const key = endpoint.idempotent ? readIdempotencyKey(request.headers) : null;
  if (key instanceof ApiError) return key;

  const prepared = await endpoint.prepare?.(body.args as never);
  return {
    endpoint,
    verb: endpoint.verb,
    args: { ...(prepared?.args ?? body.args), ...query, ...(id !== undefined && { id }) },
    idempotency: key === null ? undefined : { key, requestHash: hashRequest(call.resource, json.value) },
    ignored: body.ignored,
    reveal: prepared?.reveal,
  };
}

const EMPTY: JsonBody = { value: {}, fieldErrors: [] };

/** Reads the body; returns an empty object if the endpoint has none, or if it is absent and optional. */
async function readBody(
  request: Request,
  { body, bodyOptional, malformed }: Endpoint,
): Promise<JsonBody | ApiError> {
  if (!body) return EMPTY;
  const json = await readJsonBody(request, malformed);
  return json ?? (bodyOptional ? EMPTY : new ApiError(malformed));
}

/**
 * Parses only the query of the URL: the Host header, from which Deno builds the rest, may be invalid and break `URL`.
 */
function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start));
}
