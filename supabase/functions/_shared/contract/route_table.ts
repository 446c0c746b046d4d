import type { Json } from "./json.ts";
import type { BodyLimits, GateName, SuccessStatus } from "./declaration.ts";
import type { Deprecation } from "./deprecation.ts";
import type { Method, Resource } from "./endpoint.ts";
import type { FieldError } from "./errors.ts";

/** How to read a request's body before its schema is loaded. */
export interface BodyReading {
  /** Absent: {@link DEFAULT_BODY_LIMITS}. */
  readonly limits?: BodyLimits;
  /** The code for a body that is not a JSON object; absent: `bad_request`. */
  readonly malformed?: "bad_request" | "invalid_body";
  /** Whether the body may be absent; an absent body is read as an empty object. */
  readonly optional?: true;
}

/**
 * The data of an endpoint that routing, gate, door (postgres/door.ts) and reply need, without schemas. `deno task
 * tables` writes it. A call that needs no schemas does not load them: loading takes longer than the call itself.
 */
export interface RouteEntry {
  readonly method: Method;
  /** Relative to the function's path, e.g. `/:id`. */
  readonly path: string;
  /** The name of the operation and, if it has one, of its verb. */
  readonly operation: string;
  /** The scope that the key needs or the role that the member needs; null: none. */
  readonly requirement: string | null;
  readonly status: SuccessStatus;
  /** False: HEAD is answered with 405, although the path has a GET. */
  readonly head?: false;
  /** `expand`: only this parameter is read, and any other is ignored. */
  readonly takesQuery?: true | "expand";
  readonly body?: BodyReading;
  /**
   * The verb's arguments for a call without parameters and body. Absent if such a call is an error, or if a hook
   * computes the arguments.
   */
  readonly emptyArgs?: Readonly<Record<string, Json>>;
  /** The errors of a call without parameters, for an endpoint that requires a parameter and has no body. */
  readonly emptyErrors?: readonly FieldError[];
  readonly idempotent?: true;
  readonly etag?: true;
  readonly namesUnapplied?: true;
  readonly prefersRepresentation?: true;
  /** Whether the reply may have the field `operation`; its status is then 202. */
  readonly continues?: true;
  readonly deprecated?: Deprecation;
  /** What completes the reply: the endpoint's hook, or batch_results.ts. */
  readonly finish?: "by endpoint" | "batch results";
}

/** The endpoints of a resource as plain data, and a function that loads the same endpoints with their schemas. */
export interface RouteTable {
  /** The name of the function. */
  readonly name: string;
  readonly gate: GateName;
  readonly routes: readonly RouteEntry[];
  readonly load: () => Promise<Resource>;
}

/** Whether a record has a URL. The reply to its creation then names the URL in `Location`. */
export function hasDetail(routes: readonly { method: Method; path: string }[]): boolean {
  return routes.some(({ method, path }) => method === "GET" && path === "/:id");
}

/** Routes by path, then by method. Paths without parameters come first, so that `/batch` is not taken for `/:id`. */
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

/** The methods of a path for `Allow`: HEAD follows a GET that also answers HEAD. */
export function allowedMethods(methods: Map<Method, { head?: boolean }>): string[] {
  return [...methods].flatMap(([method, { head }]) =>
    method === "GET" && head !== false ? [method, "HEAD"] : method
  );
}
