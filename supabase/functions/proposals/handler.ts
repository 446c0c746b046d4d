import type { Context } from "hono";
import { answer } from "../_shared/http/answer.ts";
import { functionApp, type RequestHandler } from "../_shared/http/app.ts";
import { ApiError, keepApiError } from "../_shared/contract/errors.ts";
import { readJsonBody } from "../_shared/http/json_body.ts";
import { ignoredFieldsHeader, jsonReply } from "../_shared/http/reply.ts";
import { validateBody, type ValidBody } from "../_shared/http/validation.ts";
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
  app.get("/:token", (c) => c.req.method === "HEAD" ? refuseMethod(c, "GET") : respond(c, "view"));
  app.post("/:token/accept", (c) => respond(c, "accept"));
  app.post("/:token/reject", (c) => respond(c, "reject"));
  app.all("/:token", (c) => refuseMethod(c, "GET"));
  app.all("/:token/accept", (c) => refuseMethod(c, "POST"));
  app.all("/:token/reject", (c) => refuseMethod(c, "POST"));
  app.all("*", (c) => respond(c, new ApiError("not_found")));
  return app.fetch;
}

async function refuseMethod(c: Context, allow: string): Promise<Response> {
  const message = `Método não aceito neste endereço; use ${allow}`;
  const response = await respond(c, new ApiError("method_not_allowed", undefined, message));
  response.headers.set("Allow", allow);
  return response;
}

/** As the resources are answered (_shared/http/serve.ts): the door's refusal comes before what is wrong with the request. */
function respond(c: Context, target: Action | ApiError): Promise<Response> {
  return answer<ProposalReply>(c, async (keep) => {
    const token = c.req.param("token") ?? "";
    if (!isToken(token)) throw new ApiError("not_found");
    const input = await read(c.req.raw, target).catch(keepApiError);
    const problem = input instanceof ApiError;
    const action = problem || target instanceof ApiError ? null : target;
    const reply = keep(await openProposal(hashToken(token), action, problem ? {} : input.args));
    if (reply.refusal) throw reply.refusal;
    if (problem) throw input;
    return jsonReply(200, reply.body, ignoredFieldsHeader(input.ignored));
  }, (reply) => ({
    // Never the path: whoever has the token is the customer.
    function: "proposals",
    action: target instanceof ApiError ? null : target,
    proposal_id: reply?.proposalId,
  }));
}

/** @throws {ApiError} what is asked for is not there; a body that is no JSON, or against its schema */
async function read(request: Request, target: Action | ApiError): Promise<ValidBody> {
  if (target instanceof ApiError) throw target;
  if (target !== "reject") return { args: {}, ignored: [] };
  const body = await readJsonBody(request, "bad_request");
  return validateBody(Rejection, body ?? { value: {}, faults: [] });
}
