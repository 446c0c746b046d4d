import type { GateName } from "../contract/declaration.ts";
import { ApiError, ERRORS } from "../contract/errors.ts";
import { doorCredential, isKey, isLinkToken } from "../contract/credentials.ts";
import type { Door, DoorCall } from "../postgres/door.ts";
import { readAppToken } from "./bearer.ts";
import type { Gate } from "./call.ts";

/** The request header in which a member of several workspaces chooses one. */
export const WORKSPACE_HEADER = "X-Workspace-Id";

/** Verbs that read one record or a page of a list. */
const READS = /_(get|list)$/;
/** Maximum records of a page that counts as short: the default of `limit`. */
const SHORT_PAGE = 50;

/** Whether a call takes Postgres little time: it reads one record, or a short page without a search (decision 5). */
function isShortRead({ verb, args }: DoorCall): boolean {
  if (verb === null || args === null || !READS.test(verb)) return false;
  return args.q === undefined && Number(args.limit ?? 0) <= SHORT_PAGE;
}

const keyDoor: Door = {
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
  isShortRead,
};

const grantDoor: Door = {
  name: "api_call_by_grant",
  text: "select * from api.call_by_grant($1, $2, $3, $4, $5, $6, $7, decode($8, 'hex'))",
  values: ({ credential, scope, verb, args, idempotency }) => [
    ...credential.split(" "),
    scope,
    verb,
    args && JSON.stringify(args),
    idempotency?.key,
    idempotency?.requestHash,
  ],
  isShortRead,
  messages: {
    invalid_api_key:
      "A sessão do aplicativo terminou, ou ele não tem acesso a nenhuma empresa; conecte-o de novo",
    revoked_api_key: "O acesso do aplicativo foi revogado; conecte-o de novo",
    insufficient_scope: "O aplicativo não tem o escopo",
  },
};

const linkDoor: Door = {
  name: "api_call_by_link",
  text: "select * from api.call_by_link(decode($1, 'hex'), $2, $3)",
  values: ({ credential, verb, args }) => [credential, verb, args && JSON.stringify(args)],
};

/**
 * The gates by name. The gate for sessions is in session_gate.ts, so that the functions of the API do not load it.
 * Null: the function requires no credential and uses no door.
 */
export const GATES = {
  key: {
    readCredential: ({ request }) => readKeyOrToken(request.headers),
    // The ids in a token are separated by spaces.
    doorOf: (credential) => credential.includes(" ") ? grantDoor : keyDoor,
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
      return isLinkToken(token) ? doorCredential(token) : new ApiError("not_found");
    },
    doorOf: () => linkDoor,
    // The URL contains the token, which must reach neither other sites (by Referer) nor search engines.
    headers: { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" },
    callerField: "proposal_id",
    errors: ["not_found", "workspace_suspended", "rate_limited", "service_unavailable"],
  },
  none: null,
} as const satisfies Record<Exclude<GateName, "session">, Gate | null>;

/**
 * Reads the key from `X-API-Key`. If this header is absent, reads the token of an app from `Authorization: Bearer`.
 *
 * @returns the key's hash with its slot, or the ids in the verified token: person, session, client
 */
export function readKeyOrToken(headers: Headers): string | ApiError | Promise<string | ApiError> {
  const key = headers.get("X-API-Key");
  if (key !== null) return isKey(key) ? doorCredential(key) : new ApiError("invalid_api_key");
  const token = readAppToken(headers);
  if (token !== null) return idsOf(token);
  const { message } = ERRORS.missing_api_key;
  const elsewhere = headers.has("Authorization");
  return new ApiError("missing_api_key", undefined, elsewhere ? `${message}, não em Authorization` : message);
}

/**
 * Verifies an app's token and returns the ids in it. Loads jose at the first token, so that a function without such
 * calls never loads jose.
 */
async function idsOf(token: string): Promise<string | ApiError> {
  const { verifyAppToken } = await import("./access_token.ts");
  const session = await verifyAppToken(token);
  if (session instanceof ApiError) {
    return session.code === "invalid_session"
      ? new ApiError("invalid_api_key", undefined, "O token de acesso não é de um aplicativo, ou venceu")
      : session;
  }
  // In lower case, so that a token with another spelling of the ids belongs to the same known caller.
  return [session.userId, session.sessionId, session.clientId].join(" ").toLowerCase();
}
