import type { Json } from "./json.ts";
import type { BodyLimits, GateName, SuccessStatus } from "./declaration.ts";
import type { Method, Resource } from "./endpoint.ts";
import type { FieldError } from "./errors.ts";

/** How the body of a request is read, before its schema is known. */
export interface BodyReading {
  /** Absent: {@link DEFAULT_BODY_LIMITS}. */
  readonly limits?: BodyLimits;
  /** The code for a body that is no JSON object; absent: `bad_request`. */
  readonly malformed?: "bad_request" | "invalid_body";
  /** Whether it may be absent; it is then read as an empty object. */
  readonly optional?: true;
}

/**
 * An endpoint as far as it is plain data: what routing, the gate and the door need, and the reply. `deno task tables` writes
 * it from the endpoint, whose schemas take longer to load than a call takes that needs none of them.
 */
export interface RouteEntry {
  readonly method: Method;
  /** Path relative to the function's, e.g. `/:id`. */
  readonly path: string;
  /** Also the name of the verb. */
  readonly operation: string;
  /** What a caller must have besides the credential: a scope of the key, or a role of the member. Null: nothing. */
  readonly requirement: string | null;
  readonly status: SuccessStatus;
  /** False where HEAD is not answered like GET. */
  readonly head?: false;
  readonly takesQuery?: true;
  readonly body?: BodyReading;
  /**
   * The arguments of a call with neither parameters nor a body, as the schemas make them; absent where such a call is an
   * error, or its arguments are computed.
   */
  readonly emptyArgs?: Readonly<Record<string, Json>>;
  /** The fields that a call without parameters lacks, where it is an error and there is no body. */
  readonly emptyErrors?: readonly FieldError[];
  readonly idempotent?: true;
  readonly etag?: true | { readonly detailFrom: string } | { readonly recordBefore: string };
  readonly namesUnapplied?: true;
  readonly prefersRepresentation?: true;
  /** Whether the reply may have `operation`: the status is 202 then. */
  readonly continues?: true;
  /** Whether the reply is completed with what SQL cannot know: by the endpoint, or as the results of a batch. */
  readonly finish?: "by endpoint" | "batch results";
}

/** The endpoints of a resource as plain data, and how the whole of them is loaded. */
export interface RouteTable {
  /** The name of the function. */
  readonly name: string;
  readonly gate: GateName;
  readonly routes: readonly RouteEntry[];
  readonly load: () => Promise<Resource>;
}

/** Whether a record has a URL of its own, for the `Location` header of its creation. */
export function hasDetail(routes: readonly { method: Method; path: string }[]): boolean {
  return routes.some(({ method, path }) => method === "GET" && path === "/:id");
}

/** Routes grouped by path, then by method. A path without parameters comes first: `/batch` is no `/:id`. */
export function byPath<Route extends { method: Method; path: string }>(
  routes: readonly Route[],
): Map<string, Map<Method, Route>> {
  const paths = new Map<string, Map<Method, Route>>();
  const parameters = (path: string) => path.split(":").length;
  for (const route of routes.toSorted((a, b) => parameters(a.path) - parameters(b.path))) {
    paths.set(route.path, (paths.get(route.path) ?? new Map()).set(route.method, route));
  }
  return paths;
}

/** The methods of one path for the header `Allow`: HEAD after a GET that it may stand in for. */
export function allowedMethods(methods: Map<Method, { head?: boolean }>): string[] {
  return [...methods].flatMap(([method, { head }]) =>
    method === "GET" && head !== false ? [method, "HEAD"] : method
  );
}
