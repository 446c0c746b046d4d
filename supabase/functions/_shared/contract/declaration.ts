// The properties of an endpoint in a resource's routes.ts.
import type { z } from "zod";
import type { Deprecation } from "./deprecation.ts";
import type { Doc } from "./doc.ts";
import type { ErrorCode } from "./errors.ts";
import type { Json } from "./json.ts";
import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

/** The ids in a path: the record's id, and the id of a subscription's delivery or of a deal's contact. */
export interface PathParams {
  readonly id?: string | undefined;
  readonly delivery_id?: string | undefined;
  readonly contact_id?: string | undefined;
}

export interface BatchOperation {
  /**
   * The schema of an item without its `data`. It is built once, because building a schema takes longer than using it.
   */
  readonly item: z.ZodObject;
  /** The schema of `data`, which is the body of the call for one record. Absent: that call has no body. */
  readonly data?: z.ZodType;
}

/** The operations of a batch, by name. In a batch of contacts, `create` runs the verb `contact_create`. */
export type BatchOperations = Readonly<Record<string, BatchOperation>>;

/** The result of a `prepare` hook. */
export interface Prepared<Reply extends z.ZodType> {
  /** The verb's arguments, which replace the body. */
  args: Record<string, Json>;
  /** Fields to add to the reply, such as a secret. The client sees them once; the database never gets them. */
  reveal?: Partial<z.output<Reply>>;
}

/**
 * The credential that an endpoint requires. `key`: an API key or an app's token. `session`: a signed-in member's
 * session. `link`: the token of a proposal's public link. `none`: nothing. See http/gates.ts, http/session_gate.ts.
 */
export type GateName = "key" | "session" | "link" | "none";

/** Limits on a body's size, so that parsing and validating it takes only a few milliseconds. */
export interface BodyLimits {
  /** Maximum size in bytes, a multiple of 1 KiB. */
  bytes: number;
  /** Maximum JSON values, including objects and lists. */
  values: number;
}

export const DEFAULT_BODY_LIMITS: BodyLimits = {
  bytes: 256 * 1024,
  // More than 5,119, the most values that 10 KB of custom_fields can hold (spec 8).
  values: 6_000,
};

/** The status of a successful reply. 202: work is queued or goes on after the reply. */
export type SuccessStatus = 200 | 201 | 202 | 204;

/** Returns fields to add to a verb's reply. */
export type Finish = (reply: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** The properties of an endpoint with any gate. */
interface Declaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined> {
  summary: Doc;
  /** Schema of the reply's body; null for a reply without a body (204). */
  reply: Reply;
  /**
   * The query parameters; any other parameter is a 422. An endpoint that declares no parameters ignores the query,
   * because mail services and ad networks add parameters to links.
   */
  query?: z.ZodObject;
  /** Whether HEAD is answered like GET; false for a GET that changes data. */
  head?: boolean;
  body?: Body;
  /**
   * The operations of a batch. http/batch_items.ts validates the items one by one, and http/batch_results.ts adds error
   * texts to the results.
   */
  operations?: BatchOperations;
  /** Whether the body may be absent; an absent body is read as an empty object. */
  bodyOptional?: boolean;
  /** Error code for a body that is missing or is not JSON: `bad_request`; for leads `invalid_body` (spec 7). */
  malformed?: "bad_request" | "invalid_body";
  /** How large a body may be; 256 KiB and 6,000 values by default. */
  bodyLimits?: BodyLimits;
  /** The error codes that the verb itself raises. */
  errors?: readonly ErrorCode[];
  /** Present if the endpoint will be removed; replies, the documents, the SDK and the tools then announce it. */
  deprecated?: Deprecation;
}

export interface KeyDeclaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate?: "key";
  /** The scope that the key needs; null: every valid key may call. */
  scope: Scope | null;
  /** The SQL function of schema `api` that does the work. */
  verb: string;
  /** The status, 200 by default; a replayed reply always has 200. */
  status?: SuccessStatus;
  /** Whether Idempotency-Key is honoured (spec 4.0.1). */
  idempotent?: boolean;
  /** Whether the call answers 200 if the row exists already, so that clients can repeat the call. */
  findsExisting?: true;
  /** Adds the fields that SQL cannot compute to every reply, also to a replayed reply. Must not throw. */
  finish?: Finish;
  /**
   * The reply is one record and names its version in `ETag`. A GET answers 304 if `If-None-Match` names this version. A
   * PATCH answers 412 if `If-Match` names only other versions; the verb gets these versions as `if_match`.
   */
  etag?: true;
  /** Whether a reply with `idempotent: true` lists in `X-Ignored-Fields` the fields that the call did not apply. */
  namesUnapplied?: boolean;
  /**
   * Whether `Prefer: return=representation` makes the verb answer with the whole record and `possible_duplicates`.
   */
  prefersRepresentation?: boolean;
  /**
   * Creates the verb's arguments from the body, for work that SQL cannot do, such as encryption. `findWorkspace` finds
   * the caller's workspace.
   */
  prepare?: Body extends z.ZodType ? (
      body: z.output<Body>,
      params: PathParams,
      findWorkspace: () => Promise<string>,
    ) => Promise<Prepared<Reply extends z.ZodType ? Reply : z.ZodNever>>
    : never;
}

export interface SessionDeclaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate?: "session";
  scope?: never;
  /** The lowest role that may call; null: every signed-in person. */
  role: Role | null;
  /** The SQL function of schema `app` that does the work. */
  verb: string;
  status?: SuccessStatus;
  prepare?: NonNullable<KeyDeclaration<Reply, Body>["prepare"]>;
  finish?: Finish;
}

export interface LinkDeclaration<Reply extends z.ZodType, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate: "link";
  scope?: never;
  /** The SQL function of schema `api` that does the work; `api.call_by_link` must list it too. */
  verb: string;
}

/**
 * An endpoint that requires no credential. It has no query, body or verb: a function passed to `serveOpen` answers.
 */
export interface OpenDeclaration<Reply extends z.ZodType>
  extends Pick<Declaration<Reply, undefined>, "summary" | "reply"> {
  gate: "none";
  scope?: never;
  /** Name of the operation in the OpenAPI documents. */
  operation: string;
  /** Describes each status that the answer can have; every body has the schema `reply`. */
  replies: Readonly<Record<number, Doc>>;
}
