import { z } from "zod";
import {
  DEFAULT_BODY_LIMITS,
  type GateName,
  type KeyDeclaration,
  type LinkDeclaration,
  type OpenDeclaration,
  type PathParams,
  type Prepared,
  type SessionDeclaration,
} from "./declaration.ts";
import { requireTime } from "./deprecation.ts";
import type { Doc } from "./doc.ts";
import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

type AnyDeclaration = KeyDeclaration<z.ZodType | null, z.ZodType | undefined>;

/** The properties for which {@link endpoint} sets a default. */
type Defaulted = "status" | "query" | "head" | "malformed" | "bodyLimits" | "idempotent" | "errors";

interface CommonEndpoint
  extends
    Readonly<Required<Pick<AnyDeclaration, Defaulted>>>,
    Readonly<Omit<AnyDeclaration, Defaulted | "gate" | "scope" | "verb" | "body" | "prepare">> {
  /** Unique name of the operation: the name of its verb, if it has one. */
  readonly operation: string;
  readonly body: z.ZodType | undefined;
  readonly prepare?: (
    body: never,
    params: PathParams,
    findWorkspace: () => Promise<string>,
  ) => Promise<Prepared<z.ZodType>>;
}

export interface KeyEndpoint extends CommonEndpoint {
  readonly gate: "key";
  readonly scope: Scope | null;
  readonly verb: string;
}

export interface SessionEndpoint extends CommonEndpoint {
  readonly gate: "session";
  readonly scope: null;
  readonly role: Role | null;
  readonly verb: string;
}

export interface LinkEndpoint extends CommonEndpoint {
  readonly gate: "link";
  readonly scope: null;
  readonly verb: string;
}

export interface OpenEndpoint extends CommonEndpoint {
  readonly gate: "none";
  readonly scope: null;
  readonly verb: null;
  readonly replies: Readonly<Record<number, Doc>>;
}

/** An endpoint as data, for routing, gates, validation, OpenAPI and the contract tests. */
export type Endpoint = KeyEndpoint | SessionEndpoint | LinkEndpoint | OpenEndpoint;

/** The scope that the key needs or the role that the member needs; null: none. */
export function requirementOf(endpoint: Endpoint): string | null {
  return endpoint.gate === "session" ? endpoint.role : endpoint.scope;
}

/** Whether a call may start background work. Its reply is then a 202 with the operation. */
export function canContinue({ reply }: Endpoint): boolean {
  return reply instanceof z.ZodObject && "operation" in reply.shape;
}

/**
 * Whether an endpoint has query parameters. An endpoint without parameters ignores the query, but a write refuses
 * `dry_run`. `expand`: it has only this parameter, and ignores others, because a misspelt parameter cannot change which
 * record the reply has.
 */
export function takesQuery({ query }: Endpoint): boolean | "expand" {
  const [name, ...others] = Object.keys(query.shape);
  return name === "expand" && others.length === 0 ? name : name !== undefined;
}

type WithBody<Body = z.ZodType> = { readonly body: Body };

/** Declares an endpoint. With a `role` its gate is `session`; with a `scope`, which may be null, it is `key`. */
export function endpoint<Reply extends z.ZodType | null, Body extends z.ZodType | undefined = undefined>(
  declaration: KeyDeclaration<Reply, Body>,
): KeyEndpoint & WithBody<Body>;
export function endpoint<Reply extends z.ZodType | null, Body extends z.ZodType | undefined = undefined>(
  declaration: SessionDeclaration<Reply, Body>,
): SessionEndpoint & WithBody<Body>;
export function endpoint<Body extends z.ZodType | undefined = undefined>(
  declaration: LinkDeclaration<z.ZodType, Body>,
): LinkEndpoint & WithBody<Body>;
export function endpoint(declaration: OpenDeclaration<z.ZodType>): OpenEndpoint & WithBody<undefined>;
export function endpoint(
  declaration:
    | AnyDeclaration
    | SessionDeclaration<z.ZodType | null, z.ZodType | undefined>
    | LinkDeclaration<z.ZodType, z.ZodType | undefined>
    | OpenDeclaration<z.ZodType>,
): Endpoint {
  const common = {
    status: 200,
    head: true,
    body: undefined,
    malformed: "bad_request",
    bodyLimits: DEFAULT_BODY_LIMITS,
    idempotent: false,
    errors: [],
  } as const;
  if (declaration.gate === "none") {
    return { ...common, ...declaration, query: z.object({}), scope: null, verb: null };
  }
  if (declaration.deprecated) requireTime(declaration.deprecated);
  const query = (declaration.query ?? z.object({})).strict();
  const operation = declaration.verb;
  if (declaration.gate === "link") return { ...common, ...declaration, query, operation, scope: null };
  return "role" in declaration
    ? { ...common, ...declaration, query, operation, gate: "session", scope: null }
    : { ...common, ...declaration, query, operation, gate: "key" };
}

/** An optional body without fields, for an endpoint that changes something but needs no input. */
export const noBody = { body: z.object({}), bodyOptional: true } as const;

/** The methods that endpoints can have. On their paths any other method is a 405, except HEAD beside GET. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Endpoints by method and path, relative to the path of the resource. A POST or PATCH without a body does not compile.
 * Only a POST with a link's token may lack a body: the token may be its whole input.
 */
export interface Routes {
  readonly [read: `GET /${string}`]: Endpoint & WithBody<undefined>;
  readonly [remove: `DELETE /${string}`]: Endpoint & WithBody<undefined>;
  readonly [create: `POST /${string}`]: Endpoint & WithBody | LinkEndpoint;
  readonly [update: `PATCH /${string}`]: Endpoint & WithBody;
}

export interface Route {
  method: Method;
  /** Relative to the function's path, e.g. `/:id`. */
  path: string;
  endpoint: Endpoint;
}

/**
 * A resource: one function, with one gate for all endpoints. Its name is the first part of the path (spec 4).
 * A class, so that tools/resources.ts recognises resources among the exports of routes.ts.
 */
export class Resource {
  readonly routes: readonly Route[];
  /** Also runs for unknown paths, because the gate's error takes precedence over their 404. */
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
}

/** Declares a resource: the name of its function, its endpoints, and the description of its records. */
export function resource(name: string, routes: Routes, about: Doc): Resource {
  return new Resource(name, routes, about);
}
