// Loaded by the first call whose input needs a schema: building them takes longer than most calls.
import type { PathParams } from "../contract/declaration.ts";
import { type Endpoint, takesQuery } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import { validateBatch } from "./batch_items.ts";
import type { Input } from "./input.ts";
import type { JsonBody } from "./json_body.ts";
import { validateBody, validateQuery, type ValidBody } from "./validation.ts";

/** Validates the query, then the body, and prepares the arguments of the verb. */
export async function validateInput(
  endpoint: Endpoint,
  json: JsonBody,
  parameters: URLSearchParams,
  { strict, ids }: { strict: boolean; ids: PathParams },
): Promise<Omit<Input, "headers"> | ApiError> {
  const query = takesQuery(endpoint) ? validateQuery(endpoint.query, parameters) : {};
  if (query instanceof ApiError) return query;
  const body = validateJson(endpoint, json, { strict });
  if (body instanceof ApiError) return body;
  const prepared = await endpoint.prepare?.(body.args as never, ids);
  const { args: sent, ignored } = body;
  return { args: { ...(prepared?.args ?? sent), ...query }, sent, ignored, reveal: prepared?.reveal };
}

function validateJson(
  { body, operations }: Endpoint,
  json: JsonBody,
  options: { strict: boolean },
): ValidBody | ApiError {
  if (operations !== undefined) return validateBatch(operations, json, options);
  return body ? validateBody(body, json, options) : { args: {}, ignored: [] };
}
