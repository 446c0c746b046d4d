import { ApiError } from "../contract/errors.ts";
import { verifyAccessToken } from "./access_token.ts";
import { readBearer } from "./bearer.ts";
import type { Gate } from "./call.ts";
import { WORKSPACE_HEADER } from "./gates.ts";
import type { Door } from "../postgres/door.ts";
import { isUuid } from "../runtime/uuid.ts";

const door: Door = {
  name: "app_call",
  text: "select * from app.call($1, $2, $3, $4, $5, $6)",
  values({ credential, scope, verb, args }) {
    const [userId, sessionId, workspace] = credential.split(" ");
    return [userId, sessionId, workspace || null, scope, verb, args && JSON.stringify(args)];
  },
};

/** The gate for people who are signed in. A separate file, so that the API loads jose only for an app's token. */
export const sessionGate = {
  async readCredential({ request }) {
    const token = readBearer(request.headers);
    if (token === null) return new ApiError("missing_session");
    const session = await verifyAccessToken(token);
    if (session instanceof ApiError) return session;
    const workspace = request.headers.get(WORKSPACE_HEADER) ?? "";
    if (workspace !== "" && !isUuid(workspace)) return new ApiError("not_a_member");
    // In lower case, so that a request with another spelling of the ids belongs to the same known caller.
    return [session.userId, session.sessionId, workspace].join(" ").toLowerCase();
  },
  doorOf: () => door,
  headers: {},
  callerField: "member_id",
  errors: [
    "missing_session",
    "invalid_session",
    "not_a_member",
    "workspace_required",
    "insufficient_role",
    "rate_limited",
    "service_unavailable",
  ],
} as const satisfies Gate;
