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

/** What lets a call in: an API key, the token of a proposal's public link, or nothing. The table is http/gates.ts. */
export type GateName = "key" | "link" | "none";

interface Declaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined> {
  /** What it does, in a few words. */
  summary: Doc;
  /** What is answered, as the client reads it; null where there is no body (204). */
  reply: Reply;
  /** Query parameters; a parameter that is not in here is a 422. */
  query?: z.ZodObject;
  /** Whether the query is not looked at at all: mailers and networks add parameters of their own to links. */
  ignoreQuery?: boolean;
  /** Whether HEAD is answered as GET is; false where to read is to change something. */
  head?: boolean;
  body?: Body;
  /** Whether the body may be absent altogether; an empty object is read then. */
  bodyOptional?: boolean;
  /** Code of a body that is missing or no JSON: `bad_request`, but for leads (spec 7). */
  malformed?: "bad_request" | "invalid_body";
  /** The error codes that the verb itself raises. */
  errors?: readonly ErrorCode[];
}

interface KeyDeclaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate?: "key";
  /** The scope a key must carry. */
  scope: Scope;
  /** The SQL function of schema `api` that answers. */
  verb: string;
  /** Status of a first answer; one that is replayed is always 200. */
  status?: 200 | 201 | 204;
  /** Whether Idempotency-Key is honoured (spec 4.0.1). */
  idempotent?: boolean;
  /** For what only TypeScript can do to a body before the verb sees it. */
  prepare?: Body extends z.ZodType
    ? (body: z.output<Body>) => Promise<Prepared<Reply extends z.ZodType ? Reply : z.ZodNever>>
    : never;
}

interface LinkDeclaration<Reply extends z.ZodType, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate: "link";
  scope?: never;
  /** As behind a key; `api.call_by_link` must know it too. */
  verb: string;
}

/** It reads nothing of the request: no query, no body. */
interface OpenDeclaration<Reply extends z.ZodType>
  extends Pick<Declaration<Reply, undefined>, "summary" | "reply"> {
  gate: "none";
  scope?: never;
  /** Its name in the OpenAPI documents. */
  operation: string;
  /** Every status that it answers with, and what that says; the bodies are all of `reply`. */
  replies: Readonly<Record<number, Doc>>;
  /** Answers without a verb. */
  answer: () => Promise<{ status: number; body: z.output<Reply> }>;
}

interface CommonEndpoint {
  readonly summary: Doc;
  /** Its name among all operations: the verb's where there is one. */
  readonly operation: string;
  readonly reply: z.ZodType | null;
  readonly status: 200 | 201 | 204;
  /** Strict: a parameter that it does not name is refused. */
  readonly query: z.ZodObject;
  readonly ignoreQuery: boolean;
  readonly head: boolean;
  readonly body: z.ZodType | undefined;
  readonly bodyOptional: boolean;
  readonly malformed: "bad_request" | "invalid_body";
  readonly idempotent: boolean;
  readonly errors: readonly ErrorCode[];
  readonly prepare: ((body: never) => Promise<Prepared<z.ZodType>>) | undefined;
}

/** An endpoint that an API key with its scope may call. */
export interface KeyEndpoint extends CommonEndpoint {
  readonly gate: "key";
  readonly scope: Scope;
  readonly verb: string;
}

/** An endpoint that whoever holds a link may call. */
export interface LinkEndpoint extends CommonEndpoint {
  readonly gate: "link";
  readonly scope: null;
  readonly verb: string;
}

/** An endpoint that anybody may call. */
export interface OpenEndpoint extends CommonEndpoint {
  readonly gate: "none";
  readonly scope: null;
  readonly verb: null;
  readonly replies: Readonly<Record<number, Doc>>;
  readonly answer: () => Promise<{ status: number; body: unknown }>;
}

/** One endpoint, as data: routing, gate, validation, OpenAPI and the contract tests all read it. */
export type Endpoint = KeyEndpoint | LinkEndpoint | OpenEndpoint;

interface TakesBody {
  readonly body: z.ZodType;
}

interface TakesNone {
  readonly body: undefined;
}

/** Declares an endpoint: what it needs, what it takes, what it answers. */
export function endpoint<Reply extends z.ZodType | null, Body extends z.ZodType>(
  declaration: KeyDeclaration<Reply, Body> & { body: Body },
): KeyEndpoint & TakesBody;
export function endpoint<Reply extends z.ZodType | null>(
  declaration: KeyDeclaration<Reply, undefined>,
): KeyEndpoint & TakesNone;
export function endpoint<Body extends z.ZodType>(
  declaration: LinkDeclaration<z.ZodType, Body> & { body: Body },
): LinkEndpoint & TakesBody;
export function endpoint(declaration: LinkDeclaration<z.ZodType, undefined>): LinkEndpoint & TakesNone;
export function endpoint<Reply extends z.ZodType>(
  declaration: OpenDeclaration<Reply>,
): OpenEndpoint & TakesNone;
export function endpoint(
  declaration:
    | KeyDeclaration<z.ZodType | null, z.ZodType | undefined>
    | LinkDeclaration<z.ZodType, z.ZodType | undefined>
    | OpenDeclaration<z.ZodType>,
): Endpoint {
  const common = {
    status: 200,
    ignoreQuery: false,
    head: true,
    body: undefined,
    bodyOptional: false,
    malformed: "bad_request",
    idempotent: false,
    errors: [],
    prepare: undefined,
  } as const;
  if (declaration.gate === "none") {
    return { ...common, ...declaration, query: z.object({}), ignoreQuery: true, scope: null, verb: null };
  }
  const query = (declaration.query ?? z.object({})).strict();
  const operation = declaration.verb;
  return declaration.gate === "link"
    ? { ...common, ...declaration, query, operation, scope: null }
    : { ...common, ...declaration, query, operation, gate: "key" };
}

/** The methods an endpoint can have. Any other is a 405 on every path. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Endpoints by method and path under the resource's own. A POST or PATCH without a body does not compile, but for a link,
 * which may say all that there is to say.
 */
export interface Routes {
  readonly [read: `GET /${string}`]: Endpoint & TakesNone;
  readonly [remove: `DELETE /${string}`]: Endpoint & TakesNone;
  readonly [create: `POST /${string}`]: Endpoint & TakesBody | LinkEndpoint;
  readonly [update: `PATCH /${string}`]: Endpoint & TakesBody;
}

/** One endpoint with where it is. */
export interface Route {
  method: Method;
  /** Path under the function, e.g. `/:id`. */
  path: string;
  endpoint: Endpoint;
}

/** A resource is one function: its name is the first part of the path (spec 4). It has one gate. */
export class Resource {
  readonly routes: readonly Route[];
  /** Also of the addresses that it does not have: their 404 comes after the gate's errors. */
  readonly gate: GateName;

  constructor(readonly name: string, routes: Routes, readonly about: Doc) {
    this.routes = Object.entries(routes).map(([key, endpoint]) => {
      const [method, path] = key.split(" ") as [Method, string];
      return { method, path, endpoint };
    });
    const [gate, ...others] = new Set(this.routes.map(({ endpoint }) => endpoint.gate));
    if (gate === undefined || others.length > 0) throw new Error(`The endpoints of ${name} need one gate`);
    this.gate = gate;
  }

  /** Whether a record has an address of its own, for `Location` when it is created. */
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
