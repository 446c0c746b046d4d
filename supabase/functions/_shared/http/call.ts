import type { GateName, PathParams } from "../contract/declaration.ts";
import type { ApiError, ErrorCode } from "../contract/errors.ts";
import type { RouteEntry } from "../contract/route_table.ts";
import type { Door } from "../postgres/door.ts";

/** A routed request. */
export interface Call {
  /** The request id, a UUID: `X-Request-Id` of the reply, and `request_id` in the log. */
  readonly id: string;
  /** `performance.now()` at the start of the request. */
  readonly started: number;
  readonly request: Request;
  /** `HEAD` for a HEAD request, although the endpoint for GET handles it. */
  readonly method: string;
  /** The name of the function. */
  readonly resource: string;
  readonly gateName: GateName;
  /** Null: the function requires no credential. */
  readonly gate: Gate | null;
  readonly params: PathParams & { readonly token?: string | undefined };
  /** The endpoint, or the error for an unknown path or method. */
  readonly target: RouteEntry | ApiError;
}

/** Authenticates calls with one kind of credential. */
export interface Gate {
  /**
   * Returns the text by which the door identifies the caller. For a key or link this is the SHA-256 and the slot, in
   * hex. For a token these are the ids in the verified token; for a session also the chosen workspace. Returns an
   * error, without asking the database, if the credential is absent or malformed.
   */
  readCredential(call: Call): string | ApiError | Promise<string | ApiError>;
  /** The door for a credential: an app's token has another door than a key. */
  doorOf(credential: string): Door;
  /** Headers that are added to every reply. */
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the log field for the caller's id. */
  readonly callerField: string;
  /** Every error that the gate can return. */
  readonly errors: readonly ErrorCode[];
}
