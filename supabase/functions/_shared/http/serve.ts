import type { Context } from "hono";
import type { Endpoint, Resource } from "../contract/endpoint.ts";
import { ApiError, methodNotAllowed } from "../contract/errors.ts";
import { callDoor, type DoorReply } from "../postgres/door.ts";
import { log } from "../runtime/log.ts";
import { functionsUrl } from "../runtime/service.ts";
import { functionApp, type RequestHandler, toCall } from "./app.ts";
import { GATES } from "./gates.ts";
import { type Input, readInput } from "./input.ts";
import { type Call, type Outcome, type Success, unasked } from "./outcome.ts";
import { ignoredFieldsHeader } from "./reply.ts";
import { respond } from "./respond.ts";

/**
 * The handler of a resource. Every call goes one way, whatever its gate: `handle` finds its outcome, `respond` makes the
 * response of that.
 */
export function serveResource(resource: Resource): RequestHandler {
  const app = functionApp(resource.name);
  const to = (target: Endpoint | ApiError) => async (c: Context) => {
    const call = toCall(c, resource.name, resource.gate, target);
    return respond(call, await handle(call, resource).catch((fault) => unasked(internalError(call, fault))));
  };
  for (const [path, endpoints] of resource.byPath()) {
    const noSuchMethod = to(methodNotAllowed(endpoints.keys()));
    for (const [method, endpoint] of endpoints) {
      const answer = to(endpoint);
      const headAnswer = endpoint.head ? answer : noSuchMethod;
      // Hono routes a HEAD as a GET.
      app.on(method, path, (c) => c.req.method === "HEAD" ? headAnswer(c) : answer(c));
    }
    app.all(path, noSuchMethod);
  }
  app.all("*", to(new ApiError("not_found")));
  return app.fetch;
}

/**
 * What a call comes to. The errors of the gate come before those of the request (spec 5.7), although the latter are found
 * first: a call that has one asks the gate alone, so that it is still one statement.
 */
async function handle(call: Call, resource: Resource): Promise<Outcome> {
  const { target } = call;
  const gate = GATES[call.gate];
  if (gate === null) return unasked(await answerOpenly(target));
  const credential = gate.readCredential(call);
  if (credential instanceof ApiError) return unasked(credential);

  const input = target instanceof ApiError ? target : await readInput(call, target);
  const door = await callDoor(gate, {
    requestId: call.id,
    credential,
    scope: target instanceof ApiError ? null : target.scope,
    ...(input instanceof ApiError ? { verb: null, args: {} } : input),
  });
  const { admission, events } = door;
  if (door.error) return { admission, events, result: door.error };
  return { admission, events, result: input instanceof ApiError ? input : success(resource, input, door) };
}

/** The answer of an endpoint that lets anybody in. */
async function answerOpenly(target: Endpoint | ApiError): Promise<Success | ApiError> {
  if (target instanceof ApiError) return target;
  if (target.gate !== "none") throw new Error(`${target.operation} has a gate`);
  const { status, body } = await target.answer();
  return { status, body: JSON.stringify(body) };
}

function success(resource: Resource, input: Input, door: DoorReply): Success {
  const { endpoint } = input;
  const headers = ignoredFieldsHeader(input.ignored);
  if (door.replayed) headers["Idempotent-Replayed"] = "true";
  if (endpoint.status === 204) return { status: 204, body: null, headers };
  if (endpoint.status === 201 && resource.hasDetail) {
    const { id } = JSON.parse(door.body!) as { id: string };
    headers["Location"] = `${functionsUrl()}/${resource.name}/${id}`;
  }
  const body = input.reveal ? JSON.stringify({ ...JSON.parse(door.body!), ...input.reveal }) : door.body;
  return { status: door.replayed ? 200 : endpoint.status, body, headers };
}

/** A fault of the service: what went wrong goes to the log under the request's id, and only there. */
function internalError(call: Call, fault: unknown): ApiError {
  log("error", {
    request_id: call.id,
    error: fault instanceof Error ? fault.stack ?? fault.message : String(fault),
  });
  return new ApiError("internal_error");
}
