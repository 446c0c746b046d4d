import type { GateName, PathParams } from "../contract/declaration.ts";
import type { ApiError, ErrorCode } from "../contract/errors.ts";
import type { RouteEntry } from "../contract/route_table.ts";
import type { Door } from "../postgres/door.ts";

/** A request with the result of its routing. */
export interface Call {
  /** The value of X-Request-Id, which is in the log too. */
  readonly id: string;
  /** `performance.now()` at the start of the request. */
  readonly started: number;
  readonly request: Request;
  /** `HEAD` for a HEAD request, although the endpoint of GET handles it. */
  readonly method: string;
  /** Name of the function. */
  readonly resource: string;
  readonly gateName: GateName;
  /** Null: no credential is required. */
  readonly gate: Gate | null;
  /** Parameters of the path. */
  readonly params: PathParams & { readonly token?: string | undefined };
  /** The endpoint, or the error for an unknown path or method. */
  readonly target: RouteEntry | ApiError;
}

/** How calls with one kind of credential are authenticated. */
export interface Gate {
  /**
   * What the door gets of the credential: its SHA-256 in hex, or the ids in a verified token; or an error where it is
   * absent or malformed, so that no query is needed.
   */
  readCredential(call: Call): string | ApiError | Promise<string | ApiError>;
  readonly door: Door;
  /** Headers of every reply. */
  readonly headers: Readonly<Record<string, string>>;
  /** The log field for the id of the caller. */
  readonly callerField: string;
  /** Every error that the gate itself can return. */
  readonly errors: readonly ErrorCode[];
}
