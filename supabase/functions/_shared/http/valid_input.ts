// Loaded by the first call that needs a schema, because building the schemas takes longer than most calls.
import { z } from "zod";
import type { PathParams } from "../contract/declaration.ts";
import { type Endpoint, takesQuery } from "../contract/endpoint.ts";
import { ApiError, type FieldError } from "../contract/errors.ts";
import { loadOnce } from "../runtime/load_once.ts";
import { validateBatch } from "./batch_items.ts";
import { type Json, MAX_DETAILS } from "../contract/json.ts";
import type { JsonBody } from "./json_body.ts";
import { NEAR } from "./unknown_names.ts";
import { validateBody, validateQuery, type ValidBody } from "./validation.ts";

export interface ValidInput {
  readonly args: Record<string, Json>;
  /** The fields of the body after validation. */
  readonly sent: Readonly<Record<string, Json>>;
  /** Names of unknown fields in the body, for `X-Ignored-Fields`. */
  readonly ignored: readonly string[];
  /** Fields to add to the reply; see `prepare`. */
  readonly reveal?: Record<string, unknown> | undefined;
}

/**
 * Validates the query and the body, and prepares the arguments of the verb.
 * @param parameters the URL's parameters that the endpoint reads; for a write without parameters, only `dry_run`
 */
export async function validateInput(
  endpoint: Endpoint,
  json: JsonBody,
  parameters: URLSearchParams,
  { strict, ids, findWorkspace }: {
    strict: boolean;
    ids: PathParams;
    findWorkspace: () => Promise<string>;
  },
): Promise<ValidInput | ApiError> {
  const query = takesQuery(endpoint)
    ? validateQuery(endpoint.query, parameters)
    : refuseDryRun(endpoint, parameters);
  const body = validateJson(endpoint, json, { strict });
  const error = joined(query, body);
  if (error) return await withNearest(error);
  const { args: sent, ignored } = body as ValidBody;
  if (endpoint.operations) await nameNearestInItems(sent);
  const prepared = await endpoint.prepare?.(sent as never, ids, findWorkspace);
  return {
    args: { ...(prepared?.args ?? sent), ...query as Record<string, Json> },
    sent,
    ignored,
    reveal: prepared?.reveal,
  };
}

/** Refuses `?dry_run`, because ignoring it would do work that the caller only wants to rehearse. */
function refuseDryRun({ body }: Endpoint, parameters: URLSearchParams): object {
  if (!parameters.has("dry_run")) return {};
  const message = body instanceof z.ZodObject && "dry_run" in body.shape
    ? "Envie no corpo, não no endereço"
    : "Esta chamada não tem dry_run: ela gravaria";
  return new ApiError("validation_error", [{ field: "dry_run", message }]);
}

/** Joins the errors of the query and of the body, so that one reply names every invalid field and parameter. */
function joined(...parts: object[]): ApiError | undefined {
  const errors = parts.filter((part) => part instanceof ApiError);
  const [first, second] = errors;
  if (first === undefined || second === undefined) return first;
  const details = errors.flatMap(({ details }) => details!).slice(0, MAX_DETAILS);
  const code = first.code === second.code ? first.code : "validation_error";
  return new ApiError(code, details, undefined, second.headers);
}

const loadNearest = loadOnce(() => import("./nearest_name.ts"));

async function withNearest(error: ApiError): Promise<ApiError> {
  const { code, details, message, headers } = error;
  if (!details?.some((detail) => NEAR in detail)) return error;
  const { nameNearest } = await loadNearest();
  return new ApiError(code, nameNearest(details, { left: MAX_DETAILS }), message, headers);
}

/** Adds the nearest valid names to the errors of a batch's items, for at most 100 unknown names in the whole batch. */
async function nameNearestInItems({ items }: Record<string, Json>): Promise<void> {
  const invalid = (items as unknown as { error?: { details: FieldError[] } }[])
    .flatMap(({ error }) => error?.details.some((detail) => NEAR in detail) ? error : []);
  if (invalid.length === 0) return;
  const { nameNearest } = await loadNearest();
  const budget = { left: MAX_DETAILS };
  for (const error of invalid) error.details = nameNearest(error.details, budget);
}

function validateJson(
  { body, operations }: Endpoint,
  json: JsonBody,
  options: { strict: boolean },
): ValidBody | ApiError {
  if (operations !== undefined) return validateBatch(operations, json, options);
  return body ? validateBody(body, json, options) : { args: {}, ignored: [] };
}
