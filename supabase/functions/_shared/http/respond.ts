import { ApiError } from "../contract/errors.ts";
import { inBackground } from "../runtime/background.ts";
import { log } from "../runtime/log.ts";
import { pokeDispatcher } from "../webhooks/poke.ts";
import { GATES } from "./gates.ts";
import type { Call, Outcome } from "./outcome.ts";
import { errorReply, jsonReply, rateHeaders } from "./reply.ts";

/**
 * Creates the response to a call: the body or the error of spec 7, the request id and the state of the rate limit.
 * Every response is created here. It also wakes the dispatcher if a delivery is waiting, and logs the call.
 */
export function respond(call: Call, { result, admission, events }: Outcome): Response {
  const response = result instanceof ApiError
    ? errorReply(result)
    : jsonReply(result.status, result.body, result.headers);
  response.headers.set("X-Request-Id", call.id);
  for (const [name, value] of Object.entries(rateHeaders(admission?.rate ?? null, response.status === 429))) {
    response.headers.set(name, value);
  }
  if (events) inBackground(pokeDispatcher());
  const gate = GATES[call.gate];
  // The path is never logged: it contains the token of a link, and the token is enough to answer the proposal.
  log("request", {
    request_id: call.id,
    method: call.method,
    function: call.resource,
    verb: call.target instanceof ApiError ? null : call.target.operation,
    ...(gate && { [gate.callerField]: admission?.callerId }),
    workspace_id: admission?.workspaceId,
    status: response.status,
    ms: Math.round((performance.now() - call.started) * 10) / 10,
  });
  return response;
}
