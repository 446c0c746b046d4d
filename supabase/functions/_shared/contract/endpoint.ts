import { z } from "zod";
import type { Doc } from "./doc.ts";
import type { ErrorCode } from "./errors.ts";
import type { Json } from "../http/json_body.ts";
import type { Scope } from "./scopes.ts";

/** What a `prepare` hook makes of a body. */
export interface Prepared<Reply extends z.ZodType> {
  /** What the verb is given instead of the body. */
  args: Record<string, Json>;
  /** Fields added to the reply: what is shown once and never reaches the database. */
  reveal?: Partial<z.output<Reply>>;
}

interface Declaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined> {
  /** What it does, in a few words. */
  summary: Doc;
  /** The scope a key must carry. */
  scope: Scope;
  /** The SQL function of schema `api` that answers. */
  verb: string;
  /** What the verb returns, as the client reads it; null where there is no body (204). */
  reply: Reply;
  /** Status of a first answer; one that is replayed is always 200. */
  status?: 200 | 201 | 204;
  /** Query parameters; a parameter that is not in here is a 422. */
  query?: z.ZodObject;
  body?: Body;
  /** Whether the body may be absent altogether; an empty object is read then. */
  bodyOptional?: boolean;
  /** Code of a body that is missing or no JSON: `bad_request`, but for leads (spec 7). */
  malformed?: "bad_request" | "invalid_body";
  /** Whether Idempotency-Key is honoured (spec 4.0.1). */
  idempotent?: boolean;
  /** The error codes that the verb itself raises. */
  errors?: readonly ErrorCode[];
  /** For what only TypeScript can do to a body before the verb sees it. */
  prepare?: Body extends z.ZodType
    ? (body: z.output<Body>) => Promise<Prepared<Reply extends z.ZodType ? Reply : z.ZodNever>>
    : never;
}

/** One endpoint, as data: routing, gate, validation, OpenAPI and the contract tests all read it. */
export interface Endpoint {
  readonly summary: Doc;
  readonly scope: Scope;
  readonly verb: string;
  readonly reply: z.ZodType | null;
  readonly status: 200 | 201 | 204;
  /** Strict: a parameter that it does not name is refused. */
  readonly query: z.ZodObject;
  readonly body: z.ZodType | undefined;
  readonly bodyOptional: boolean;
  readonly malformed: "bad_request" | "invalid_body";
  readonly idempotent: boolean;
  readonly errors: readonly ErrorCode[];
  readonly prepare: ((body: never) => Promise<Prepared<z.ZodType>>) | undefined;
}

/** An endpoint that takes a body. */
export interface WritingEndpoint extends Endpoint {
  readonly body: z.ZodType;
}

/** An endpoint that takes none. */
export interface BodilessEndpoint extends Endpoint {
  readonly body: undefined;
}

/** Declares an endpoint: what it needs, what it takes, what it answers. */
export function endpoint<Reply extends z.ZodType | null, Body extends z.ZodType>(
  declaration: Declaration<Reply, Body> & { body: Body },
): WritingEndpoint;
export function endpoint<Reply extends z.ZodType | null>(
  declaration: Declaration<Reply, undefined>,
): BodilessEndpoint;
export function endpoint(declaration: Declaration<z.ZodType | null, z.ZodType | undefined>): Endpoint {
  return {
    status: 200,
    body: undefined,
    bodyOptional: false,
    malformed: "bad_request",
    idempotent: false,
    errors: [],
    prepare: undefined,
    ...declaration,
    query: (declaration.query ?? z.object({})).strict(),
  };
}

/** The methods an endpoint can have. Any other is a 405 on every path. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Endpoints by method and path under the resource's own. A POST or PATCH without a body does not compile. */
export interface Routes {
  readonly [read: `GET /${string}`]: BodilessEndpoint;
  readonly [remove: `DELETE /${string}`]: BodilessEndpoint;
  readonly [create: `POST /${string}`]: WritingEndpoint;
  readonly [update: `PATCH /${string}`]: WritingEndpoint;
}

/** One endpoint with where it is. */
export interface Route {
  method: Method;
  /** Path under the function, e.g. `/:id`. */
  path: string;
  endpoint: Endpoint;
}

/** A resource is one function: its name is the first part of the path (spec 4). */
export class Resource {
  readonly routes: readonly Route[];

  constructor(readonly name: string, routes: Routes, readonly about: Doc) {
    this.routes = Object.entries(routes).map(([key, endpoint]) => {
      const [method, path] = key.split(" ") as [Method, string];
      return { method, path, endpoint };
    });
  }

  /** Whether a record has an address of its own, to be told of when it is created. */
  get hasDetail(): boolean {
    return this.routes.some(({ method, path }) => method === "GET" && path === "/:id");
  }

  /** The paths, each with the endpoints by method. */
  byPath(): Map<string, Map<Method, Endpoint>> {
    const paths = new Map<string, Map<Method, Endpoint>>();
    for (const { method, path, endpoint } of this.routes) {
      paths.set(path, (paths.get(path) ?? new Map()).set(method, endpoint));
    }
    return paths;
  }
}

/** Declares a resource: the name of its function, its table of endpoints, and what its records are. */
export function resource(name: string, routes: Routes, about: Doc): Resource {
  return new Resource(name, routes, about);
}
