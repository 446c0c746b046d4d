// What an endpoint declares in the table of its resource (routes.ts).
import type { z } from "zod";
import type { Doc } from "./doc.ts";
import type { ErrorCode } from "./errors.ts";
import type { Json } from "./json.ts";
import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

/** The ids in a path: of the record, and of the delivery of a subscription. */
export interface PathParams {
  readonly id?: string | undefined;
  readonly delivery_id?: string | undefined;
}

/** One operation of a batch, such as `create`. */
export interface BatchOperation {
  /** The schema of an item without its `data`. Built once, because building a schema takes longer than using it. */
  readonly item: z.ZodObject;
  /** The schema of `data`: that of the call for one record. */
  readonly data: z.ZodType;
}

/** The operations of a batch by name; `create` of a contact runs the verb `contact_create`. */
export type BatchOperations = Readonly<Record<string, BatchOperation>>;

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

/** Of every endpoint that declares no others. */
export const DEFAULT_BODY_LIMITS: BodyLimits = {
  bytes: 256 * 1024,
  // The 10 KB of custom_fields (spec 8) may hold 5,119 values, and each of those that the contract allows is accepted.
  values: 6_000,
};

/** The status of a reply that is no error. 202: the work is queued, and the reply says how much of it. */
export type SuccessStatus = 200 | 201 | 202 | 204;

/** Returns fields for the reply of a verb. */
export type Finish = (reply: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** What the declarations of all gates have in common. */
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
  /**
   * The operations of a batch, whose items are validated one by one (http/batch_items.ts) in place of the whole body, and
   * whose results get the texts of their errors (http/batch_results.ts).
   */
  operations?: BatchOperations;
  /** Whether the body may be absent; it is then read as an empty object. */
  bodyOptional?: boolean;
  /** Error code for a body that is missing or is not JSON: `invalid_body` for leads, else `bad_request` (spec 7). */
  malformed?: "bad_request" | "invalid_body";
  /** How large a body may be; 256 KiB and 6,000 values by default. */
  bodyLimits?: BodyLimits;
  /** The error codes that the verb itself raises. */
  errors?: readonly ErrorCode[];
}

/** Of an endpoint that requires an API key. */
export interface KeyDeclaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate?: "key";
  /** The scope a key must carry; null: every valid key may call. */
  scope: Scope | null;
  /** The SQL function of schema `api` that does the work. */
  verb: string;
  /** Status of the first reply; a replayed reply always has 200. */
  status?: SuccessStatus;
  /** Whether Idempotency-Key is honoured (spec 4.0.1). */
  idempotent?: boolean;
  /** Completes the reply with what SQL cannot know; a stored reply, too. It must not throw. */
  finish?: Finish;
  /**
   * The reply is one record, and names its version in `ETag`: a GET answers 304 where `If-None-Match` names it, a PATCH 412
   * where `If-Match` does not (the verb gets the versions as `if_match`); other calls compare none. `detailFrom`: the first
   * of the fields that the reply adds to those of the record, which have a version of their own. `recordBefore`: the first
   * of the fields that say what the call did, and are no part of any version.
   */
  etag?: true | { detailFrom: string } | { recordBefore: string };
  /**
   * Whether fields of the body that were not applied, because the reply says `idempotent`, are named in
   * `X-Ignored-Fields`.
   */
  namesUnapplied?: boolean;
  /**
   * Whether `Prefer: return=representation` is honoured: the verb gets `prefer`, and answers with the whole record and
   * `possible_duplicates`.
   */
  prefersRepresentation?: boolean;
  /** Changes the body before the verb gets it, where SQL cannot do that (encryption, for example). */
  prepare?: Body extends z.ZodType ? (
      body: z.output<Body>,
      params: PathParams,
    ) => Promise<Prepared<Reply extends z.ZodType ? Reply : z.ZodNever>>
    : never;
}

/** Of an endpoint that requires the session of a member. */
export interface SessionDeclaration<Reply extends z.ZodType | null, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate: "session";
  scope?: never;
  /** The least role that may call; null: whoever is a member of any workspace. */
  role: Role | null;
  /** The SQL function of schema `app` that does the work. */
  verb: string;
  status?: SuccessStatus;
  prepare?: KeyDeclaration<Reply, Body>["prepare"];
  finish?: Finish;
}

/** Of an endpoint that requires the token of a link. */
export interface LinkDeclaration<Reply extends z.ZodType, Body extends z.ZodType | undefined>
  extends Declaration<Reply, Body> {
  gate: "link";
  scope?: never;
  /** The SQL function of schema `api` that does the work; `api.call_by_link` must list it too. */
  verb: string;
}

/**
 * Of an endpoint that requires no credential: it reads neither the query nor a body. It has no verb: what answers it is
 * given to `serveOpen`.
 */
export interface OpenDeclaration<Reply extends z.ZodType>
  extends Pick<Declaration<Reply, undefined>, "summary" | "reply"> {
  gate: "none";
  scope?: never;
  /** Name of the operation in the OpenAPI documents. */
  operation: string;
  /** The text of each status that `answer` can return; every body has the schema `reply`. */
  replies: Readonly<Record<number, Doc>>;
}
