import type { Context } from "hono";
import { functionApp, type RequestHandler } from "../_shared/app.ts";
import { inBackground } from "../_shared/background.ts";
import { ApiError, keepApiError } from "../_shared/errors.ts";
import { readJsonBody } from "../_shared/json_body.ts";
import { log } from "../_shared/log.ts";
import {
  asApiError,
  errorReply,
  identified,
  ignoredFieldsHeader,
  jsonReply,
  rateHeaders,
} from "../_shared/reply.ts";
import { validateBody, type ValidBody } from "../_shared/validation.ts";
import { pokeDispatcher } from "../_shared/webhooks/poke.ts";
import { type Action, openProposal, type ProposalReply } from "./door.ts";
import { Rejection } from "./schema.ts";
import { hashToken, isToken } from "./token.ts";

/**
 * The public link of a proposal: GET /<token> shows it, and marks its first opening; POST /<token>/accept and
 * /<token>/reject `{ reason? }` answer it for good, and may be repeated. No key: the token is what lets one in. Query
 * parameters are ignored, because mailers and networks add their own to links.
 */
export function serveProposals(): RequestHandler {
  const app = functionApp("proposals");
  // A link checker's HEAD is no opening, and Hono would answer it as a GET.
  app.get("/:token", (c) => c.req.method === "HEAD" ? refuseMethod(c, "GET") : answer(c, "view"));
  app.post("/:token/accept", (c) => answer(c, "accept"));
  app.post("/:token/reject", (c) => answer(c, "reject"));
  app.all("/:token", (c) => refuseMethod(c, "GET"));
  app.all("/:token/accept", (c) => refuseMethod(c, "POST"));
  app.all("/:token/reject", (c) => refuseMethod(c, "POST"));
  app.all("*", (c) => answer(c, new ApiError("not_found")));
  return app.fetch;
}

async function refuseMethod(c: Context, allow: string): Promise<Response> {
  const message = `Método não aceito neste endereço; use ${allow}`;
  const response = await answer(c, new ApiError("method_not_allowed", undefined, message));
  response.headers.set("Allow", allow);
  return response;
}

/** As the resources are answered (_shared/serve.ts): read, ask the door, answer; the door's refusal comes first. */
async function answer(c: Context, target: Action | ApiError): Promise<Response> {
  const started = performance.now();
  const requestId = crypto.randomUUID();
  let reply: ProposalReply | undefined;
  let response: Response;
  try {
    const token = c.req.param("token") ?? "";
    if (!isToken(token)) throw new ApiError("not_found");
    const input = await read(c.req.raw, target).catch(keepApiError);
    const problem = input instanceof ApiError;
    reply = await openProposal(
      await hashToken(token),
      problem || target instanceof ApiError ? null : target,
      problem ? {} : input.args,
    );
    if (reply.refusal) throw reply.refusal;
    if (problem) throw input;
    response = jsonReply(200, reply.body, ignoredFieldsHeader(input.ignored));
  } catch (error) {
    response = errorReply(asApiError(error, requestId));
  }
  identified(response, requestId);
  const rate = rateHeaders(reply?.rate ?? null, response.status === 429);
  for (const [name, value] of Object.entries(rate)) response.headers.set(name, value);
  if (reply?.events) inBackground(pokeDispatcher());
  // Never the path: whoever has the token is the customer.
  log("request", {
    request_id: requestId,
    function: "proposals",
    method: c.req.method,
    action: target instanceof ApiError ? null : target,
    proposal_id: reply?.proposalId,
    workspace_id: reply?.workspaceId,
    status: response.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
  });
  return response;
}

/** @throws {ApiError} what is asked for is not there; a body that is no JSON, or against its schema */
async function read(request: Request, target: Action | ApiError): Promise<ValidBody> {
  if (target instanceof ApiError) throw target;
  if (target !== "reject") return { args: {}, ignored: [] };
  const body = await readJsonBody(request, "bad_request");
  return validateBody(Rejection, body ?? { value: {}, faults: [] });
}
