import { isDeepStrictEqual } from "node:util";
import { DEFAULT_BODY_LIMITS } from "../../supabase/functions/_shared/contract/declaration.ts";
import {
  canContinue,
  type Endpoint,
  requirementOf,
  type Resource,
  type Route,
  takesQuery,
} from "../../supabase/functions/_shared/contract/endpoint.ts";
import { ApiError } from "../../supabase/functions/_shared/contract/errors.ts";
import type { RouteEntry } from "../../supabase/functions/_shared/contract/route_table.ts";
import { validateInput } from "../../supabase/functions/_shared/http/valid_input.ts";

/** The plain data of a resource's endpoints. */
export async function routeEntries({ routes }: Resource): Promise<RouteEntry[]> {
  return await Promise.all(routes.map(entryOf));
}

async function entryOf({ method, path, endpoint }: Route): Promise<RouteEntry> {
  const { operation, status, head, body, bodyOptional, bodyLimits, malformed } = endpoint;
  const { idempotent, etag, namesUnapplied, prefersRepresentation, operations, finish, deprecated } =
    endpoint;
  return {
    method,
    path,
    operation,
    requirement: requirementOf(endpoint),
    status,
    ...(method === "GET" && !head && { head }),
    ...(takesQuery(endpoint) && { takesQuery: takesQuery(endpoint) as true | "expand" }),
    ...(body && {
      body: {
        ...(bodyLimits !== DEFAULT_BODY_LIMITS && { limits: bodyLimits }),
        ...(malformed !== "bad_request" && { malformed }),
        ...(bodyOptional && { optional: bodyOptional }),
      },
    }),
    ...await ofEmptyCall(endpoint),
    ...(idempotent && { idempotent }),
    ...(etag && { etag }),
    ...(namesUnapplied && { namesUnapplied }),
    ...(prefersRepresentation && { prefersRepresentation }),
    ...(canContinue(endpoint) && { continues: true }),
    ...(deprecated && { deprecated }),
    ...(operations ? { finish: "batch results" } : finish && { finish: "by endpoint" }),
  };
}

async function ofEmptyCall(endpoint: Endpoint): Promise<Pick<RouteEntry, "emptyArgs" | "emptyErrors">> {
  const { body, bodyOptional, prepare } = endpoint;
  if (prepare || (body && !bodyOptional)) return {};
  const nothing = { value: {}, fieldErrors: [] };
  const input = await validateInput(endpoint, nothing, new URLSearchParams(), {
    strict: true,
    ids: {},
    findWorkspace: () => Promise.reject(new Error("only for `prepare`")),
  });
  if (input instanceof ApiError) {
    const { code, details } = input;
    return body || code !== "validation_error" || !details ? {} : { emptyErrors: details };
  }
  // None if the schema adds a field to an empty body: the field would count as sent.
  return isDeepStrictEqual(input.sent, {}) ? { emptyArgs: input.args } : {};
}
