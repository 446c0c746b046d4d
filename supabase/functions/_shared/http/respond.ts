import { deprecationHeaders } from "../contract/deprecation.ts";
import { ApiError } from "../contract/errors.ts";
import { inBackground } from "../runtime/background.ts";
import { log, logCount } from "../runtime/log.ts";
import { functionsUrl } from "../runtime/service.ts";
import { pokeDispatcher } from "../webhooks/poke.ts";
import { isUuid } from "../runtime/uuid.ts";
import type { Call } from "./call.ts";
import { isRepeatable, type Outcome, type Success } from "./outcome.ts";
import { challengeHeader } from "./protected_resource.ts";
import { logRequest } from "./request_log.ts";
import { jsonReply, rateHeaders, replyOf } from "./reply.ts";

/**
 * Creates every response of a resource: the body or the error (spec 7), the request id and the rate limit. It also
 * wakes the dispatcher if a delivery is waiting, and logs the call for the operator and for the key's owner.
 */
export function respond(call: Call, outcome: Outcome): Response {
  const { result, admission, events } = outcome;
  const { target } = call;
  const { status, body, headers } = result instanceof ApiError ? replyOf(result) : result;
  // Sets all headers at once, because setting them on a finished response takes longer.
  const response = jsonReply(status, body, {
    ...headers,
    ...locationOfMerged(call, result),
    "X-Request-Id": call.id,
    ...call.gate?.headers,
    ...(status === 401 && call.gateName === "key" && challengeHeader("api-v1", call.request)),
    ...(!(target instanceof ApiError) && target.deprecated && deprecationHeaders(target.deprecated)),
    ...rateHeaders(admission?.rate ?? null, status === 429),
    // The length that the reply to GET would have (RFC 9110, 8.6). Deno would send 0.
    ...(call.method === "HEAD" && status !== 304 && { "Content-Length": lengthOf(body ?? "") }),
  });
  if (events) inBackground(pokeDispatcher());
  logCall(call, outcome);
  logRequest(call, outcome, body);
  return response;
}

/**
 * `Location` for the GET of a merged record: the same address, with the id of the record into which it was merged. Only
 * a GET is redirected, because clients follow a redirect with GET, so a redirected POST would seem to have succeeded.
 */
function locationOfMerged(
  { resource, request, target }: Call,
  result: ApiError | Success,
): Record<string, string> {
  if (!(result instanceof ApiError) || result.code !== "merged" || target instanceof ApiError) return {};
  const path = target.path.replace(":id", result.details![0]!.id!);
  return { "Location": `${functionsUrl()}/${resource}${path}${new URL(request.url).search}` };
}

function lengthOf(text: string): string {
  return String(new TextEncoder().encode(text).length);
}

function logCall(call: Call, outcome: Outcome): void {
  const { result, admission } = outcome;
  const { gate } = call;
  const caller = gate && { [gate.callerField]: admission?.callerId };
  // A client can cause any number of these calls, and the platform limits the number of log lines, so only a count is
  // logged.
  if (isRepeatable(outcome) || (result.status === 503 && !admission?.admitted)) {
    return result instanceof ApiError
      ? logCount("refused", { function: call.resource, code: result.code, ...caller })
      : logCount("request", { function: call.resource, status: result.status });
  }
  const id = call.params.delivery_id ?? call.params.id;
  // Never logs the path: it may contain a link's token, with which anybody can answer the proposal.
  log("request", {
    request_id: call.id,
    method: call.method,
    function: call.resource,
    verb: call.target instanceof ApiError ? null : call.target.operation,
    ...caller,
    workspace_id: admission?.workspaceId,
    object_id: result instanceof ApiError || !result.createdId
      ? id !== undefined && isUuid(id) ? id : undefined
      : result.createdId,
    status: result.status,
    ms: Math.round((performance.now() - call.started) * 10) / 10,
  });
}
