import { z } from "zod";
import type { Doc } from "./doc.ts";
import type { ErrorCode } from "./errors.ts";
import type { Json } from "../http/json_body.ts";
import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

/** The ids in a path: of the record, and of the delivery of a subscription. */
export interface PathParams {
  readonly id?: string | undefined;
  readonly delivery_id?: string | undefined;
}

/** What a `prepare` hook returns for a body. */
export interface Prepared<Reply extends z.ZodType> {
  /** Arguments of the verb, in place of the body. */
  args: Record<string, Json>;
  /** Fields added to the reply, such as a secret, that are shown once and never sent to the database. */
  reveal?: Partial<z.output<Reply>>;
}

/**
 * The credential that an endpoint requires: an API key, the session of a member who is signed in, the token of a
 * proposal's public link, or none. See http/gates.ts and http/session_gate.ts.
 */
export type GateName = "key" | "session" | "link" | "none";

/** Limits by which reading and validating a body takes a few milliseconds at most. */
export interface BodyLimits {
  /** A multiple of 1 KiB. */
  bytes: number;
  /** Values of JSON, objects and lists included. */
  values: number;
}

/** The status of a reply that is no error. 202: the work is queued, and the reply says how much of it. */
export type SuccessStatus = 200 | 201 | 202 | 204;

interface Declaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined> {
  /** What the endpoint does, in a few words. */
  summary: Doc;
  /** Schema of the reply's body; null for a reply without a body (204). */
  reply: Reply;
  /**
   * Query parameters; any other parameter is a 422. An endpoint without them ignores the query, as the contract gives it
   * no parameters, and mail services and ad networks add their own to links.
   */
  query?: z.ZodObject;
  /** Whether HEAD is answered like GET; false for a GET that changes data. */
  head?: boolean;
  body?: Body;
  /** Whether the body may be absent; it is then read as an empty object. */
  bodyOptional?: boolean;
  /** Error code for a body that is missing or is not JSON: `invalid_body` for leads, else `bad_request` (spec 7). */
  malformed?: "bad_request" | "invalid_body";
  /** How large a body may be; 256 KiB and 6,000 values by default. */
  bodyLimits?: BodyLimits;
  /** The error codes that the verb itself raises. */
  errors?: readonly ErrorCode[];
}

interface KeyDeclaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate?: "key";
  /** The scope a key must carry. */
  scope: Scope;
  /** The SQL function of schema `api` that does the work. */
  verb: string;
  /** Status of the first reply; a replayed reply always has 200. */
  status?: SuccessStatus;
  /** Whether Idempotency-Key is honoured (spec 4.0.1). */
  idempotent?: boolean;
  /** Changes the body before the verb gets it, where SQL cannot do that (encryption, for example). */
  prepare?: Body extends z.ZodType ? (
      body: z.output<Body>,
      params: PathParams,
    ) => Promise<Prepared<Reply extends z.ZodType ? Reply : z.ZodNever>>
    : never;
}

interface SessionDeclaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate: "session";
  scope?: never;
  /** The least role that may call; null: whoever is a member of any workspace. */
  role: Role | null;
  /** The SQL function of schema `app` that does the work. */
  verb: string;
  status?: SuccessStatus;
  prepare?: KeyDeclaration<Reply, Body>["prepare"];
  /**
   * Does what follows the statement outside the database, such as sending an invitation, and returns the fields that this
   * adds to the reply. It must not throw: the change is made.
   */
  finish?: (reply: Record<string, unknown>) => Promise<Record<string, unknown>>;
}

interface LinkDeclaration<Reply extends z.ZodType, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate: "link";
  scope?: never;
  /** The SQL function of schema `api` that does the work; `api.call_by_link` must list it too. */
  verb: string;
}

/** An endpoint without a gate reads neither the query nor a body. */
interface OpenDeclaration<Reply extends z.ZodType>
  extends Pick<Declaration<Reply, undefined>, "summary" | "reply"> {
  gate: "none";
  scope?: never;
  /** Name of the operation in the OpenAPI documents. */
  operation: string;
  /** The text of each status that `answer` can return; every body has the schema `reply`. */
  replies: Readonly<Record<number, Doc>>;
  /** Computes the reply in TypeScript, without a verb. */
  answer: () => Promise<{ status: number; body: z.output<Reply> }>;
}

interface CommonEndpoint {
  readonly summary: Doc;
  /** Unique name of the operation: the name of the verb, where there is one. */
  readonly operation: string;
  readonly reply: z.ZodType | null;
  readonly status: SuccessStatus;
  /** A strict schema: a parameter that it does not name is an error. Without parameters: see {@link takesQuery}. */
  readonly query: z.ZodObject;
  readonly head: boolean;
  readonly body: z.ZodType | undefined;
  readonly bodyOptional: boolean;
  readonly malformed: "bad_request" | "invalid_body";
  readonly bodyLimits: BodyLimits;
  readonly idempotent: boolean;
  readonly errors: readonly ErrorCode[];
  readonly prepare: ((body: never, params: PathParams) => Promise<Prepared<z.ZodType>>) | undefined;
  readonly finish: ((reply: Record<string, unknown>) => Promise<Record<string, unknown>>) | undefined;
}

/** An endpoint that requires an API key with its scope. */
export interface KeyEndpoint extends CommonEndpoint {
  readonly gate: "key";
  readonly scope: Scope;
  readonly verb: string;
}

/** An endpoint that requires the session of a member. */
export interface SessionEndpoint extends CommonEndpoint {
  readonly gate: "session";
  readonly scope: null;
  readonly role: Role | null;
  readonly verb: string;
}

/** An endpoint that requires the token of a link. */
export interface LinkEndpoint extends CommonEndpoint {
  readonly gate: "link";
  readonly scope: null;
  readonly verb: string;
}

/** An endpoint that requires no credential. */
export interface OpenEndpoint extends CommonEndpoint {
  readonly gate: "none";
  readonly scope: null;
  readonly verb: null;
  readonly replies: Readonly<Record<number, Doc>>;
  readonly answer: () => Promise<{ status: number; body: unknown }>;
}

/** One endpoint, as data: routing, gate, validation, OpenAPI and the contract tests all read it. */
export type Endpoint = KeyEndpoint | SessionEndpoint | LinkEndpoint | OpenEndpoint;

/** What a caller must have besides the credential: a scope of the key, or a role of the member. Null: nothing. */
export function requirementOf(endpoint: Endpoint): string | null {
  return endpoint.gate === "session" ? endpoint.role : endpoint.scope;
}

/** Whether an endpoint has query parameters. Without any, it ignores the query. */
export function takesQuery({ query }: Endpoint): boolean {
  return Object.keys(query.shape).length > 0;
}

interface WithBody {
  readonly body: z.ZodType;
}

interface WithoutBody {
  readonly body: undefined;
}

/** Declares an endpoint: its gate, its input and its reply. */
export function endpoint<Reply extends z.ZodType | null, Body extends z.ZodType>(
  declaration: KeyDeclaration<Reply, Body> & { body: Body },
): KeyEndpoint & WithBody;
export function endpoint<Reply extends z.ZodType | null>(
  declaration: KeyDeclaration<Reply, undefined>,
): KeyEndpoint & WithoutBody;
export function endpoint<Reply extends z.ZodType | null, Body extends z.ZodType>(
  declaration: SessionDeclaration<Reply, Body> & { body: Body },
): SessionEndpoint & WithBody;
export function endpoint<Reply extends z.ZodType | null>(
  declaration: SessionDeclaration<Reply, undefined>,
): SessionEndpoint & WithoutBody;
export function endpoint<Body extends z.ZodType>(
  declaration: LinkDeclaration<z.ZodType, Body> & { body: Body },
): LinkEndpoint & WithBody;
export function endpoint(declaration: LinkDeclaration<z.ZodType, undefined>): LinkEndpoint & WithoutBody;
export function endpoint<Reply extends z.ZodType>(
  declaration: OpenDeclaration<Reply>,
): OpenEndpoint & WithoutBody;
export function endpoint(
  declaration:
    | KeyDeclaration<z.ZodType | null, z.ZodType | undefined>
    | SessionDeclaration<z.ZodType | null, z.ZodType | undefined>
    | LinkDeclaration<z.ZodType, z.ZodType | undefined>
    | OpenDeclaration<z.ZodType>,
): Endpoint {
  const common = {
    status: 200,
    head: true,
    body: undefined,
    bodyOptional: false,
    malformed: "bad_request",
    // The 10 KB of custom_fields (spec 8) may hold 5,119 values, and each of those that the contract allows is accepted.
    bodyLimits: { bytes: 256 * 1024, values: 6_000 },
    idempotent: false,
    errors: [],
    prepare: undefined,
    finish: undefined,
  } as const;
  if (declaration.gate === "none") {
    return { ...common, ...declaration, query: z.object({}), scope: null, verb: null };
  }
  const query = (declaration.query ?? z.object({})).strict();
  const operation = declaration.verb;
  return declaration.gate === "link" || declaration.gate === "session"
    ? { ...common, ...declaration, query, operation, scope: null }
    : { ...common, ...declaration, query, operation, gate: "key" };
}

/** The methods that an endpoint can have. Any other method is a 405 on every path. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Endpoints by method and path, relative to the path of the resource. A POST or PATCH without a body does not compile,
 * except a POST by link, because the token in its path can be its whole input.
 */
export interface Routes {
  readonly [read: `GET /${string}`]: Endpoint & WithoutBody;
  readonly [remove: `DELETE /${string}`]: Endpoint & WithoutBody;
  readonly [create: `POST /${string}`]: Endpoint & WithBody | LinkEndpoint;
  readonly [update: `PATCH /${string}`]: Endpoint & WithBody;
}

/** The methods of one path for the header `Allow`: HEAD after a GET that it may stand in for. */
export function allowedMethods(endpoints: Map<Method, Endpoint>): string[] {
  return [...endpoints].flatMap(([method, { head }]) => method === "GET" && head ? [method, "HEAD"] : method);
}

/** One endpoint with its method and path. */
export interface Route {
  method: Method;
  /** Path relative to the function's, e.g. `/:id`. */
  path: string;
  endpoint: Endpoint;
}

/**
 * A resource: one function, whose name is the first part of the path (spec 4), with one gate for all of its endpoints.
 */
export class Resource {
  readonly routes: readonly Route[];
  /** Applies to unknown paths too: the errors of the gate take precedence over their 404. */
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

  /** Whether a record has a URL of its own, for the `Location` header of its creation. */
  get hasDetail(): boolean {
    return this.routes.some(({ method, path }) => method === "GET" && path === "/:id");
  }

  /** Endpoints grouped by path, then by method. */
  byPath(): Map<string, Map<Method, Endpoint>> {
    const paths = new Map<string, Map<Method, Endpoint>>();
    for (const { method, path, endpoint } of this.routes) {
      paths.set(path, (paths.get(path) ?? new Map()).set(method, endpoint));
    }
    return paths;
  }
}

/** Declares a resource: the name of its function, its table of endpoints, and the text of its records. */
export function resource(name: string, routes: Routes, about: Doc): Resource {
  return new Resource(name, routes, about);
}
