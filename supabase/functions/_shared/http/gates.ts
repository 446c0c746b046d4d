import type { GateName } from "../contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../contract/errors.ts";
import { hashCredential, isKey, isLinkToken } from "../contract/credentials.ts";
import type { DoorCall } from "../postgres/door.ts";
import type { Call } from "./outcome.ts";

/** How one kind of caller is let in. */
export interface Gate {
  /** SHA-256, in hex, of what the caller shows; an error for what cannot be a credential: the database is not asked then. */
  readCredential(call: Call): string | ApiError;
  /** The statement that judges the credential and runs the verb: one of the doors of schema `api`. */
  readonly door: {
    readonly name: string;
    readonly text: string;
    values(call: DoorCall): unknown[];
  };
  /** The field of the log that names the caller. */
  readonly callerField: string;
  /** Every error that the gate itself gives. */
  readonly errors: readonly ErrorCode[];
}

/** The gates by name; an endpoint's declaration names its own. Null: anybody may call, and the database is not asked. */
export const GATES = {
  key: {
    readCredential({ request }) {
      const key = request.headers.get("X-API-Key");
      if (key === null) return new ApiError("missing_api_key");
      return isKey(key) ? hashCredential(key) : new ApiError("invalid_api_key");
    },
    door: {
      name: "api_call",
      text: "select * from api.call(decode($1, 'hex'), $2, $3, $4, $5, decode($6, 'hex'))",
      values: ({ credential, scope, verb, args, idempotency }) => [
        credential,
        scope,
        verb,
        JSON.stringify(args),
        idempotency?.key,
        idempotency?.requestHash,
      ],
    },
    callerField: "key_id",
    errors: [
      "missing_api_key",
      "invalid_api_key",
      "revoked_api_key",
      "workspace_suspended",
      "feature_disabled",
      "insufficient_scope",
      "rate_limited",
      "service_unavailable",
    ],
  },
  link: {
    readCredential({ params: { token = "" } }) {
      return isLinkToken(token) ? hashCredential(token) : new ApiError("not_found");
    },
    door: {
      name: "api_call_by_link",
      text: "select * from api.call_by_link(decode($1, 'hex'), $2, $3)",
      values: ({ credential, verb, args }) => [credential, verb, JSON.stringify(args)],
    },
    callerField: "proposal_id",
    errors: ["not_found", "workspace_suspended", "rate_limited", "service_unavailable"],
  },
  none: null,
} as const satisfies Record<GateName, Gate | null>;
