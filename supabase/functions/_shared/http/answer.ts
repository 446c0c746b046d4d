import type { Context } from "hono";
import { inBackground } from "../runtime/background.ts";
import type { Admission } from "../postgres/door.ts";
import { log, type LogFields } from "../runtime/log.ts";
import { asApiError, errorReply, identified, rateHeaders } from "./reply.ts";
import { pokeDispatcher } from "../webhooks/poke.ts";

/**
 * Answers a request: what `work` returns, or the error that it throws in the envelope of spec 7. Whichever it is, the
 * answer carries the request id and the figures of the rate limit, the dispatcher is poked where something waits for
 * it, and one line goes to the log.
 *
 * @param work gives the database's reply to `keep` as soon as it has it: a refusal has figures as well
 * @param describe what the request was, for the log; nothing that must stay secret
 */
export async function answer<Reply extends Admission>(
  c: Context,
  work: (keep: (reply: Reply) => Reply) => Promise<Response>,
  describe: (reply: Reply | undefined) => LogFields,
): Promise<Response> {
  const started = performance.now();
  const requestId = crypto.randomUUID();
  let kept: Reply | undefined;
  let response: Response;
  try {
    response = await work((reply) => kept = reply);
  } catch (error) {
    response = errorReply(asApiError(error, requestId));
  }
  identified(response, requestId);
  const rate = rateHeaders(kept?.rate ?? null, response.status === 429);
  for (const [name, value] of Object.entries(rate)) response.headers.set(name, value);
  if (kept?.events) inBackground(pokeDispatcher());
  log("request", {
    request_id: requestId,
    method: c.req.method,
    ...describe(kept),
    workspace_id: kept?.workspaceId,
    status: response.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
  });
  return response;
}
