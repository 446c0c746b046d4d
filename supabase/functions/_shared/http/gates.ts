import type { GateName } from "../contract/declaration.ts";
import { ApiError, ERRORS } from "../contract/errors.ts";
import { hashCredential, isKey, isLinkToken } from "../contract/credentials.ts";
import type { Gate } from "./call.ts";

/** The request header in which a member of several workspaces chooses one. */
export const WORKSPACE_HEADER = "X-Workspace-Id";

/**
 * The gates by name, except the gate for sessions: it is in session_gate.ts, so that the functions of the API do not
 * load it. Null: the function requires no credential and uses no door.
 */
export const GATES = {
  key: {
    readCredential({ request }) {
      const key = request.headers.get("X-API-Key");
      if (key === null) {
        const { message } = ERRORS.missing_api_key;
        const elsewhere = request.headers.has("Authorization");
        return new ApiError(
          "missing_api_key",
          undefined,
          elsewhere ? `${message}, não em Authorization` : message,
        );
      }
      return isKey(key) ? hashCredential(key) : new ApiError("invalid_api_key");
    },
    door: {
      name: "api_call",
      text: "select * from api.call(decode($1, 'hex'), $2, $3, $4, $5, decode($6, 'hex'), $7)",
      values: ({ credential, address, scope, verb, args, idempotency }) => [
        credential,
        scope,
        verb,
        args && JSON.stringify(args),
        idempotency?.key,
        idempotency?.requestHash,
        address,
      ],
    },
    headers: {},
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
      values: ({ credential, verb, args }) => [credential, verb, args && JSON.stringify(args)],
    },
    // The address contains the token, which must not reach other sites (by Referer) or search engines.
    headers: { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" },
    callerField: "proposal_id",
    errors: ["not_found", "workspace_suspended", "rate_limited", "service_unavailable"],
  },
  none: null,
} as const satisfies Record<Exclude<GateName, "session">, Gate | null>;
