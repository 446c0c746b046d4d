import { ApiError } from "../contract/errors.ts";
import { inBackground } from "../runtime/background.ts";
import { log, logCount } from "../runtime/log.ts";
import { pokeDispatcher } from "../webhooks/poke.ts";
import { GATES } from "./gates.ts";
import { isUuid } from "./input.ts";
import type { Call, Outcome } from "./outcome.ts";
import { errorReply, jsonReply, rateHeaders } from "./reply.ts";

/**
 * Creates the response to a call: the body or the error of spec 7, the request id and the state of the rate limit.
 * Every response is created here. It also wakes the dispatcher if a delivery is waiting, and logs the call.
 */
export function respond(call: Call, outcome: Outcome): Response {
  const { result, admission, events } = outcome;
  const response = result instanceof ApiError
    ? errorReply(result)
    : jsonReply(result.status, result.body, result.headers);
  response.headers.set("X-Request-Id", call.id);
  const headers = {
    ...GATES[call.gate]?.headers,
    ...rateHeaders(admission?.rate ?? null, response.status === 429),
  };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (events) inBackground(pokeDispatcher());
  logCall(call, outcome);
  return response;
}

function logCall(call: Call, { result, admission }: Outcome): void {
  const gate = GATES[call.gate];
  // A stranger can send any number of calls. One line each would fill the log, whose size the platform limits.
  if (result instanceof ApiError && !admission?.callerId && result.status !== 500) {
    return logCount("refused", { function: call.resource, code: result.code });
  }
  const { id } = call.params;
  // The path is never logged: it contains the token of a link, and the token is enough to answer the proposal.
  log("request", {
    request_id: call.id,
    method: call.method,
    function: call.resource,
    verb: call.target instanceof ApiError ? null : call.target.operation,
    ...(gate && { [gate.callerField]: admission?.callerId }),
    workspace_id: admission?.workspaceId,
    object_id: result instanceof ApiError || !result.createdId
      ? id !== undefined && isUuid(id) ? id : undefined
      : result.createdId,
    status: result.status,
    ms: Math.round((performance.now() - call.started) * 10) / 10,
  });
}
